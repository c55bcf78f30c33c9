import { render } from "preact";

render(<main>symoro</main>, document.getElementById("page")!);
