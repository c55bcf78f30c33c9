// JavaScript code that symoro generated (docs/languages.md), imported into the page as a module.

type Numbers = ArrayLike<number>;

/** Generated module; a module without parameters has neither PARAMETERS nor setup. */
export interface GeneratedModule {
  PARAMETERS?: readonly string[];
  INPUTS: Readonly<Record<string, readonly number[]>>;
  OUTPUTS: Readonly<Record<string, readonly number[]>>;
  setup?: (parameters: Numbers | Record<string, number>) => Float64Array;
  call: (...given: unknown[]) => Record<string, Float64Array | number>;
  batch: (n: number, ...given: unknown[]) => Record<string, Float64Array>;
}

/** A blob address, which the content security policies of server and site permit (script-src blob:). */
const blobAddress = (source: string): string => URL.createObjectURL(new Blob([source], { type: "text/javascript" }));

/**
 * Import the JavaScript module of an answer of `code`.
 *
 * @param files contents of files by name; exactly one of them is JavaScript.
 * @param addressOf converts source text to an address that can be imported.
 */
export async function compile(files: Record<string, string>, addressOf = blobAddress): Promise<GeneratedModule> {
  const source = Object.entries(files).find(([name]) => name.endsWith(".js"))?.[1];
  if (source === undefined) throw new Error("the answer contains no JavaScript file");
  const address = addressOf(source);
  try {
    return (await import(/* @vite-ignore */ address)) as GeneratedModule;
  } finally {
    if (address.startsWith("blob:")) URL.revokeObjectURL(address);
  }
}
