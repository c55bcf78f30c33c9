// What symoro lists, as its service describes it: itself, its bundled robots, its models.

import type { components } from "./api";

type Schemas = components["schemas"];

export type About = Schemas["About"];
export type Format = Schemas["FileFormat"];
export type Bundled = Schemas["Card"];
export type Entry = Schemas["EntryData"];
