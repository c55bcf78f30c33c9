// What symoro lists, as its service describes it: itself, its bundled robots, its models.

import type { components } from "./api";

type Schemas = components["schemas"];

export type About = Schemas["About"];
export type Format = Schemas["FileFormat"];
export type Bundled = Schemas["Card"];
/** A model as menus show it; with a robot, `why_not` tells why it does not apply to it. */
export type Entry = Pick<Schemas["EntryData"], "id" | "menu" | "title" | "aliases" | "applies_to" | "why_not">;
