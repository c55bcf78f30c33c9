// Requests and answers of the service. Made by tools/page_types.py from src/symoro/ui/service: do not edit.

export type RobotDocument = Record<string, unknown>;

/** No payload. */
export interface EmptyRequest {
}

/** A robot alone. */
export interface RobotRequest {
  robot: Record<string, unknown>;
}

/** A robot whose frames are to be placed; with `loops`, closed too. */
export interface FramesRequest {
  robot: Record<string, unknown>;
  loops?: boolean;
}

/** The catalogue, for a robot or for none. */
export interface CatalogueRequest {
  robot?: Record<string, unknown>;
}

/** A bundled robot by its id, or the text of a file. */
export interface OpenRequest {
  id?: string;
  text?: string;
  file?: string;
  format?: string;
}

/** A robot to be filled in. */
export interface NewRobotRequest {
  name?: string;
  links?: number;
  structure?: string;
  base?: string;
  inertia?: "symbolic" | "zero";
}

/** Denavit-Hartenberg rows. */
export interface ParameterRowsRequest {
  rows: ((number | string)[] | Record<string, unknown>)[];
  convention: string;
  name?: string;
  degrees?: boolean;
}

/** A cell that gets another text, or a row that comes or goes; its part determines the other fields. */
export interface CellEdit {
  part: string;
  j?: number | string;
  field?: string;
  text?: string;
  [more: string]: unknown;
}

/** A robot and the edits of its cells. */
export interface EditRequest {
  robot: Record<string, unknown>;
  edits: CellEdit[];
}

/** A robot and the format of its file. */
export interface WriteRequest {
  robot: Record<string, unknown>;
  format: string;
  lossy?: boolean;
}

/** A model of a robot. */
export interface ModelRequest {
  robot: Record<string, unknown>;
  model: string;
  options?: Record<string, unknown>;
}

/** A model in a language. */
export interface CodeRequest extends ModelRequest {
  language: string;
  language_options?: Record<string, unknown>;
}

/** A model as a folder. */
export interface ExportRequest extends ModelRequest {
  languages: string[];
}

/** A model at numbers. */
export interface EvaluateRequest extends ModelRequest {
  inputs: Record<string, unknown>;
  values?: Record<string, number>;
}

/** Loops to be closed from a posture. */
export interface CloseRequest {
  robot: Record<string, unknown>;
  qa: number[];
  q0?: number[];
  qc0?: number[];
  values?: Record<string, number>;
}

/** A pose of the end frame in frame 0, options of inverse-geometry, and positions for joints left free. */
export interface SolveRequest {
  robot: Record<string, unknown>;
  pose: number[][];
  q0?: number[];
  options?: Record<string, unknown>;
  values?: Record<string, number>;
}

/** A robot, and how its base parameters are found. */
export interface BaseRequest extends RobotRequest {
  options?: Record<string, unknown>;
}

/** A frame of a robot. */
export interface SingularitiesRequest {
  robot: Record<string, unknown>;
  to?: number | string;
}

/**
 * A trajectory: the text of its file (YAML or CSV), or the tree of the YAML file.
 *
 * `posture` selects the assembly mode of closed loops if a table has only the active joints: all joints, or a name.
 */
export interface TrajectoryRequest {
  robot: Record<string, unknown>;
  text?: string;
  document?: Record<string, unknown>;
  posture?: string | number[];
  step?: number;
  values?: Record<string, number>;
}

/** A robot whose parameters a motion is to show. */
export interface ExcitationRequest {
  robot: Record<string, unknown>;
  harmonics?: number;
  frequency?: number;
  starts?: number;
  values?: Record<string, number>;
}

/** A start, what moves the robot (constant torques, or a trajectory to be tracked), and how it is integrated. */
export interface SimulationRequest {
  robot: Record<string, unknown>;
  duration?: number;
  q?: number[];
  qd?: number[];
  start?: Record<string, number[]>;
  tau?: number[];
  track?: string;
  kp?: number;
  kd?: number;
  step?: number;
  method?: string;
  friction?: string;
  stops?: "end" | number;
  values?: Record<string, number>;
}

/** The files of a log by their names, what their columns mean (YAML), and how parameters are found. */
export interface IdentificationRequest {
  robot: Record<string, unknown>;
  files: Record<string, string>;
  description?: string;
  method?: string;
  model?: string;
  cutoff?: number;
  decimation?: number;
  slow?: number;
  delay?: string;
  friction?: string[];
  posture?: string;
  essential?: boolean;
  consistent?: boolean;
  values?: Record<string, number>;
}

/** A language. */
export interface LanguageData {
  id: string;
  title: string;
}

/** A format of files: whether they can be opened here, and written. */
export interface FileFormat {
  id: string;
  suffixes: string[];
  opened: boolean;
  written: boolean;
}

/** What this symoro can do. */
export interface About {
  version: string;
  python: string;
  menus: string[];
  languages: LanguageData[];
  formats: FileFormat[];
  structures: string[];
  bases: string[];
  conventions: string[];
}

/** A bundled robot in the gallery. */
export interface GalleryEntry {
  id: string;
  name: string;
  title: string;
  family: string;
  structure: string;
  reference: string;
}

/** The gallery. */
export interface RobotsData {
  robots: GalleryEntry[];
}

/** A row of a table. */
export interface Row {
  j: number | string;
  cells: string[];
  variable?: string | null;
  symbol?: string | null;
  role?: "link" | "opened" | "twin";
  hint?: string;
}

/** A table of a robot. */
export interface Table {
  title: string;
  part: string;
  columns: string[];
  kinds: ("formula" | "number" | "count" | "choice" | "flag" | "text")[];
  choices: Record<string, string[]>;
  hints: string[];
  rows: Row[];
  add: string | null;
  remove: string | null;
}

/** Links, joints, frames and loops. */
export interface Sizes {
  NL: number;
  NJ: number;
  NF: number;
  B: number;
}

/** A joint that moves. */
export interface JointView {
  frame: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
  opened: boolean;
  coupled: boolean;
  elastic: boolean;
  lower: number | null;
  upper: number | null;
}

/** A joint that another follows, and by how much. */
export interface Term {
  frame: number;
  ratio: string;
}

/** A joint that follows others. */
export interface CouplingView {
  frame: number;
  terms: Term[];
  offset: string;
}

/** A frame and its antecedent. */
export interface FrameView {
  frame: number;
  ant: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
}

/** A loop: the joint where it is opened, its twin, and all frames on the way. */
export interface LoopView {
  opened: number;
  twin: number;
  frames: number[];
}

/** A wheel; `symbol` is the parameter that its radius is, `roller` the angle of a Swedish wheel's rollers. */
export interface WheelView {
  frame: number;
  kind: "fixed" | "steering" | "castor" | "swedish";
  radius: number | null;
  symbol: string | null;
  steering: number | null;
  roller: number | null;
}

/** A platform, the frames that move with it, and its legs. */
export interface PlatformView {
  frame: number;
  body: number[];
  legs: number[][];
}

/** A shape in a frame of the robot. */
export interface VisualData {
  frame: number;
  link: string;
  shape: "mesh" | "box" | "cylinder" | "sphere";
  size: number[];
  file: string | null;
  scale: number[];
  xyz: number[];
  rpy: number[];
  color: number[] | null;
}

/**
 * Everything that the page shows of a robot; `file` is its name as the name of a file.
 *
 * `visuals`, the shapes of a URDF, are in the answer of `robot_open` only.
 */
export interface View {
  robot: Record<string, unknown>;
  name: string;
  file: string;
  title: string;
  reference: string;
  structure: "serial" | "tree" | "closed-loop";
  description: string;
  base: "fixed" | "floating" | "wheeled";
  floating: boolean;
  location: ((number | null)[])[];
  sizes: Sizes;
  symbols: string[];
  nominal: Record<string, number>;
  values: Record<string, number>;
  postures: Record<string, number[]>;
  notes: string[];
  warnings: string[];
  coordinates: number[];
  joints: JointView[];
  couplings: CouplingView[];
  frames: FrameView[];
  loops: LoopView[];
  wheels: WheelView[];
  platform: PlatformView | null;
  tool: string | null;
  tables: Table[];
  visuals?: VisualData[];
}

/** An option of a model, as a form shows it. */
export interface OptionData {
  name: string;
  title: string;
  kind: "frame" | "frames" | "points" | "choice" | "flag" | "text" | "number" | "posture";
  default: unknown;
  choices: string[];
}

/** An array that a model takes or gives; its shape in letters, as 'n' or 'K,n'. */
export interface PortData {
  shape: string;
  title: string;
}

/** One form of a model; `of` names the structure, and is absent in the plain form. */
export interface FormData {
  of?: string;
  inputs: Record<string, PortData>;
  outputs: Record<string, PortData>;
  options: OptionData[];
  reference: string;
  applies_to: string;
}

/** A value of an option that alone leads to another form; null where any does. */
export interface Switch {
  option: string;
  value: unknown;
  form: number;
}

/** A model; `form` (its place in [plain, *forms]), `switches` and `why_not` are those for the robot that came. */
export interface EntryData extends FormData {
  id: string;
  menu: string;
  title: string;
  aliases: string[];
  forms: FormData[];
  form?: number;
  switches?: Switch[];
  why_not?: string | null;
}

/** Every model, in the order of the menus. */
export interface CatalogueData {
  models: EntryData[];
}

/** Texts by the names of their files. */
export interface Files {
  files: Record<string, string>;
}

/** A model as a whole folder, with the folder's name. */
export interface Project extends Files {
  folder: string;
}

/** An input's shape and the names of its entries. */
export interface InputData {
  shape: number[];
  entries: string[];
}

/** Source files of a model, with what it takes. */
export interface Sources extends Files {
  inputs: Record<string, InputData>;
}

/** Arrays by name; null is a value that is not a number. */
export interface Outputs {
  outputs: Record<string, unknown>;
}

/** JavaScript made by symoro, with the names and shapes of what it takes and gives. */
export interface Module {
  source: string;
  parameters: string[];
  inputs: Record<string, number[]>;
  outputs: Record<string, number[]>;
}

/** All frames of a robot placed, and its loops closed where there is a closed form. */
export interface Placements {
  frames: Module;
  loops: Module | null;
}

/** A posture: coordinates, opened joints, and how far it is from the pose. */
export interface PostureRow {
  q: number[];
  qc: number[];
  status: "valid" | "singular";
  residual: number;
  free: number[];
}

/** The postures of a pose; `complete` where these are all. */
export interface SolvedPose {
  method: "closed form" | "numeric";
  complete: boolean;
  coordinates: number[];
  opened: number[];
  solutions: PostureRow[];
}

/** An array that a model takes or gives, with its numbers of rows and columns. */
export interface ModelPort {
  direction: "in" | "out";
  name: string;
  shape: number[];
  title: string;
  unit: string;
  entries?: string[];
}

/** Operations; `setup` are those done once. */
export interface Counts {
  additions: number;
  multiplications: number;
  divisions: number;
  functions: number;
  others: number;
  kernels: number;
  setup?: Counts;
}

/** A model to be read. */
export interface ModelAnswer {
  model: string;
  form: string;
  robot: string;
  options: Record<string, unknown>;
  title: string;
  reference: string;
  inputs: Record<string, InputData>;
  outputs: Record<string, number[]>;
  parameters: string[];
  units: Record<string, string>;
  count: Counts;
  text: string;
  latex: string;
  ports: ModelPort[];
  columns: string[];
  conditions: string[];
  choices: string[];
  derivation: string[];
  python: string;
  command: string;
}

/** What an optimising pass saved: operations before and after. */
export interface PassData {
  name: string;
  before: number;
  after: number;
}

/** How a model was formulated, solved and optimised. */
export interface Explanation {
  lines: string[];
  passes: PassData[];
}

/** Base parameters; relations as kept parameter -> {other parameter: factor}. */
export interface BaseAnswer {
  robot: string;
  names: string[];
  no_effect: string[];
  relations: Record<string, Record<string, string>>;
  friction: string[];
  method: string;
  conditions: string[];
  notes: string[];
}

/** The singular postures as conditions; `complete` where these are all. */
export interface SingularAnswer {
  text: string;
  complete: boolean;
}

/** The largest amounts of a joint along a motion, with their signs. */
export interface PeakData {
  joint: number;
  torque: number;
  torque_time: number;
  rms: number;
  velocity: number;
  acceleration: number;
  power: number;
  energy: number;
}

/** A limit that a motion passes; `told` describes it in words. */
export interface PassedLimit {
  joint: number;
  what: string;
  limit: number;
  time: number;
  worst: number;
  worst_time: number;
  told: string;
}

/**
 * A motion: rows of all joints of the view; torques are those of `joints`, with their units and limits.
 *
 * Of more than 4000 samples some are left out; peaks and energy are those of all.
 */
export interface MotionAnswer {
  times: number[];
  q: number[][];
  samples: number;
  frame: number;
  joints: number[];
  units: string[];
  tau: ((number | null)[])[];
  efforts: (number | null)[];
}

/** A trajectory on a robot, with what it takes; `verdict` is what can be said where no limit is passed. */
export interface TrajectoryAnswer extends MotionAnswer {
  power: ((number | null)[])[];
  peaks: PeakData[];
  energy: number;
  passed: PassedLimit[];
  verdict: string;
  warnings: string[];
}

/** A motion that shows parameters: the text of its file, the condition of the regressor, and its columns. */
export interface ExcitationAnswer {
  text: string;
  condition: number;
  columns: string[];
}

/** A joint that sticks, slides, meets a stop or leaves it. */
export interface EventData {
  time: number;
  joint: number;
  what: string;
}

/** A simulated motion; `base` is the location of frame 0 in the world, 16 numbers by rows, if it moves. */
export interface SimulationAnswer extends MotionAnswer {
  base: number[][] | null;
  kinetic: (number | null)[] | null;
  potential: (number | null)[] | null;
  events: EventData[];
  finished: boolean;
  why: string;
  warnings: string[];
}

/** Samples of a simulation as they come. */
export interface Piece {
  times: number[];
  q: number[][];
  tau: ((number | null)[])[];
  base: number[][] | null;
}

/** An estimated parameter with its standard deviation; `shown` is its name in the papers, as ZZR1. */
export interface ParameterData {
  name: string;
  shown: string;
  value: number | null;
  deviation: number | null;
  unit: string;
}

/** A part of a report: sentences, and a table. */
export interface SectionData {
  title: string;
  text: string[];
  head: string[];
  rows: string[][];
}

/**
 * The result of an identification; residuals are relative to the measurements, null where there is none.
 *
 * `robot` is the document with the parameters that were found; `files` are the report as Markdown and HTML.
 */
export interface IdentifyAnswer {
  method: string;
  parameters: ParameterData[];
  residuals: Record<string, number | null>;
  warnings: string[];
  sections: SectionData[];
  files: Record<string, string>;
  labels: string[];
  times: number[];
  measured: ((number | null)[])[];
  predicted: ((number | null)[])[];
  robot: Record<string, unknown>;
}

/** Where something is wrong: in a file, or in a cell of a table. */
export interface ErrorPlace {
  file?: string;
  line?: number;
  column?: number;
  key?: string;
  part?: string;
  j?: number | string;
  field?: string;
}

/** What is wrong, and where known what to do, where it is, and all problems of a robot. */
export interface ErrorBody {
  kind: string;
  message: string;
  hint?: string;
  place?: ErrorPlace;
  problems?: string[];
}

/** The answer to what cannot be. */
export interface Failure {
  error: ErrorBody;
}

/** The state of a job. */
export interface JobData {
  id: string;
  call: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  progress: Record<string, unknown> | null;
  result: Placements | SolvedPose | ModelAnswer | Explanation | Sources | Project | Outputs | BaseAnswer | SingularAnswer | TrajectoryAnswer | ExcitationAnswer | SimulationAnswer | IdentifyAnswer | Failure | null;
  pieces?: Piece[];
  before?: number;
}
