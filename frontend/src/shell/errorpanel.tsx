// Panel with an error: message, place, excerpt of the file, hint and commands that correct it.

import type { ShellState } from "./shellState";

interface Place {
  file?: string;
  line?: number;
  column?: number;
  key?: string;
}

const AROUND = 3;

/** Return the numbered lines of a text around one line. */
export function excerpt(text: string, line: number): { number: number; text: string }[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - AROUND);
  return lines.slice(first - 1, line + AROUND).map((one, i) => ({ number: first + i, text: one }));
}

export function placeText(place: Place | undefined): string {
  if (!place) return "";
  const parts = [
    place.file,
    place.line !== undefined ? `line ${place.line}` : undefined,
    place.column !== undefined ? `column ${place.column}` : undefined,
    place.key !== undefined ? `at ${place.key}` : undefined,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}

export function ErrorPanel({ shell }: { shell: ShellState }) {
  const report = shell.errorReport.value;
  if (!report) return null;
  const place = report.problem.place as Place | undefined;
  const where = placeText(place);
  return (
    <div class="sh-trouble" role="alert" data-problem={report.problem.kind}>
      {where ? <p class="sh-place">{where}</p> : null}
      <p class="sh-what">{report.problem.message}</p>
      {report.text !== undefined && place?.line !== undefined ? (
        <pre class="sh-excerpt">
          {excerpt(report.text, place.line).map(({ number, text }) => (
            <div key={number} class={number === place.line ? "sh-here" : undefined}>
              <span>{number}</span>
              {text}
            </div>
          ))}
        </pre>
      ) : null}
      {report.problem.hint ? <p class="sh-advice">{report.problem.hint}</p> : null}
      {(report.problem.problems ?? []).length ? (
        <ul>
          {report.problem.problems!.map((one, i) => (
            <li key={i}>{typeof one === "string" ? one : JSON.stringify(one)}</li>
          ))}
        </ul>
      ) : null}
      <div class="sh-remedies">
        {(report.remedies ?? []).map(({ title, run }) => (
          <button
            key={title}
            type="button"
            class="sh-button"
            data-action="remedy"
            onClick={() => void run().catch((error: unknown) => shell.showError(report.title, error))}
          >
            {title}
          </button>
        ))}
      </div>
      <p class="sh-hint">The current robot is unchanged.</p>
    </div>
  );
}
