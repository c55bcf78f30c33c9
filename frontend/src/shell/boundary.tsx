// Error boundary: an error in one pane does not affect the others.

import { Component, type ComponentChildren } from "preact";

interface Props {
  name: string;
  children: ComponentChildren;
}

export class Boundary extends Component<Props, { problem: string | null }> {
  override state = { problem: null as string | null };

  override componentDidCatch(error: unknown): void {
    this.setState({ problem: error instanceof Error ? error.message : String(error) });
  }

  override render() {
    if (this.state.problem === null) return this.props.children;
    return (
      <div class="sh-empty" role="alert">
        <p>
          {this.props.name} failed: {this.state.problem}
        </p>
        <button type="button" class="sh-button" onClick={() => this.setState({ problem: null })}>
          Reload this pane
        </button>
      </div>
    );
  }
}
