// Panel with a link that contains the robot, its posture and the selected model.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { copy } from "../store/clipboard";
import { linkOf } from "../store/share";
import { shortTitle } from "./modelMenus";
import type { ShellState } from "./shellState";

/** Length in characters up to which mail and chat programs keep a link. */
const LONG = 8000;
/** Names of the computer itself. */
const LOCAL = /^(localhost|127\..*|\[::1\])$/;

export function SharePanel({ shell }: { shell: ShellState }) {
  const link = useSignal("");
  const copied = useSignal(false);
  const { view, q, parameters, base, requested } = shell.store;
  const entry = shell.catalogue.value.find(({ id }) => id === requested.value?.model);
  const title = entry ? shortTitle(entry) : requested.value?.model;
  useEffect(() => {
    let wanted = true;
    copied.value = false;
    linkOf(shell.store, location).then(
      (text) => wanted && (link.value = text ?? ""),
      (error: unknown) => wanted && shell.showError("The link cannot be created", error),
    );
    return () => void (wanted = false);
  }, [view.value, q.value, parameters.value, base.value, requested.value]);
  return (
    <div class="sh-form">
      <p>
        The link contains the robot, its posture and {requested.value ? `the model "${title}"` : "no model, because none is selected"}. Nothing is
        uploaded: the data are in the link.
      </p>
      <textarea class="sh-field sh-link-text" aria-label="link" data-share="link" readOnly rows={5} value={link.value} onFocus={(event) => event.currentTarget.select()} />
      <p class="sh-hint">
        {link.value.length} characters.{" "}
        {link.value.length > LONG ? "Some programs cut links of this length: send the robot's YAML file instead." : null} The receiver opens it in a workbench at
        the same address. Meshes of a URDF are not included.
      </p>
      {LOCAL.test(location.hostname) && (
        <p class="sh-hint">
          The address {location.host} is that of a workbench on this computer. Elsewhere the receiver starts one, for example with{" "}
          <code>symoro gui --port {location.port}</code>, and opens the link there.
        </p>
      )}
      <div>
        <button
          type="button"
          class="sh-button sh-main"
          data-share="copy"
          disabled={!link.value}
          onClick={() => void copy(link.value).then(() => (copied.value = true))}
        >
          {copied.value ? "Copied" : "Copy the link"}
        </button>
      </div>
    </div>
  );
}
