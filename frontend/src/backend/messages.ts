// Requests and answers of the service. Made by tools/page_types.py from src/symoro/ui/service: do not edit.

export type RobotDocument = Record<string, unknown>;

/** Request without arguments. */
export interface EmptyRequest {
}

/** Request whose only argument is a robot. */
export interface RobotRequest {
  robot: Record<string, unknown>;
}

/** Request for the poses of a robot's frames; if `loops` is true, also for the closure of its loops. */
export interface FramesRequest {
  robot: Record<string, unknown>;
  loops?: boolean;
}

/** Request for the catalogue of models; if it contains a robot, for the variants that apply to this robot. */
export interface CatalogueRequest {
  robot?: Record<string, unknown>;
}

/**
 * Request for a bundled robot by its id, or for the robot in the text of a file.
 *
 * With `lossy`, features of an MJCF file that change the dynamics but are not supported are left out.
 */
export interface OpenRequest {
  id?: string;
  text?: string;
  file?: string;
  format?: string;
  lossy?: boolean;
}

/** Request for a new robot with a given number of links and kind of structure. */
export interface NewRobotRequest {
  name?: string;
  links?: number;
  structure?: string;
  base?: string;
  inertia?: "symbolic" | "zero";
}

/** Request for a robot from Denavit-Hartenberg rows. */
export interface ParameterRowsRequest {
  rows: ((number | string)[] | Record<string, unknown>)[];
  convention: string;
  name?: string;
  degrees?: boolean;
}

/**
 * Edit of a table of robot data: new text of a cell, or a row to add or remove.
 *
 * `part` identifies the table and determines the other fields.
 */
export interface CellEdit {
  part: string;
  j?: number | string;
  field?: string;
  text?: string;
  [more: string]: unknown;
}

/** Request to edit cells in the tables of robot data. */
export interface EditRequest {
  robot: Record<string, unknown>;
  edits: CellEdit[];
}

/** Request for the text of a robot file in a format. */
export interface WriteRequest {
  robot: Record<string, unknown>;
  format: string;
  lossy?: boolean;
}

/** Request for a model of a robot. */
export interface ModelRequest {
  robot: Record<string, unknown>;
  model: string;
  options?: Record<string, unknown>;
}

/** Request for a model as source code in a programming language. */
export interface CodeRequest extends ModelRequest {
  language: string;
  language_options?: Record<string, unknown>;
}

/** Request for a folder with a model as source code, build file and demo. */
export interface ExportRequest extends ModelRequest {
  languages: string[];
}

/** Request for the outputs of a model at given inputs. */
export interface EvaluateRequest extends ModelRequest {
  inputs: Record<string, unknown>;
  values?: Record<string, number>;
}

/** Request for the names in the equations of a model, with their values at given inputs. */
export interface VariablesRequest extends ModelRequest {
  inputs?: Record<string, unknown>;
  values?: Record<string, number>;
}

/** Request to close the loops of a robot for given positions of its active joints, starting from a posture. */
export interface CloseRequest {
  robot: Record<string, unknown>;
  qa: number[];
  q0?: number[];
  qc0?: number[];
  values?: Record<string, number>;
}

/** Request for the configurations that reach a pose of the end effector in frame 0. */
export interface SolveRequest {
  robot: Record<string, unknown>;
  pose: number[][];
  q0?: number[];
  options?: Record<string, unknown>;
  values?: Record<string, number>;
}

/** Request for positions of the end effector at sampled postures. */
export interface WorkspaceRequest {
  robot: Record<string, unknown>;
  count?: number;
  q?: number[];
  values?: Record<string, number>;
}

/**
 * Request for the masses and loads of a robot, at given numbers of its symbols.
 *
 * `contacts` is the option of `contact-dynamics`; an empty list selects its default, None no contacts.
 */
export interface MechanicsRequest extends RobotRequest {
  values?: Record<string, number>;
  contacts?: unknown[];
}

/** Request for the base inertial parameters of a robot, with options of the model `base-parameters`. */
export interface BaseRequest extends RobotRequest {
  options?: Record<string, unknown>;
}

/** Request for the conditions under which the Jacobian of a frame is singular. */
export interface SingularitiesRequest {
  robot: Record<string, unknown>;
  to?: number | string;
}

/** Request for the distances of a posture from the singularities of a robot. */
export interface SingularityDistancesRequest {
  robot: Record<string, unknown>;
  q: number[];
  values?: Record<string, number>;
}

/**
 * Request for the torques along a trajectory.
 *
 * The trajectory is the text of its file (YAML or CSV), or the tree of the YAML file. If a table contains only the
 * active joints of a robot with closed loops, `posture` selects the assembly mode: it contains the positions of all
 * joints, or the name of a posture.
 */
export interface TrajectoryRequest {
  robot: Record<string, unknown>;
  text?: string;
  document?: Record<string, unknown>;
  posture?: string | number[];
  step?: number;
  values?: Record<string, number>;
}

/** Request for an exciting trajectory of a robot. */
export interface ExcitationRequest {
  robot: Record<string, unknown>;
  harmonics?: number;
  frequency?: number;
  starts?: number;
  values?: Record<string, number>;
}

/** Request for a simulation: initial state, constant torques or a trajectory to track, and integrator options. */
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

/** Request for an identification: files of a log by name, description of their columns (YAML), and options. */
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

/** Programming language of generated code, or export target. */
export interface LanguageData {
  id: string;
  title: string;
}

/** File format of robots, and whether the page can read and write it. */
export interface FileFormat {
  id: string;
  suffixes: string[];
  opened: boolean;
  written: boolean;
}

/**
 * Version and capabilities of this installation of symoro.
 *
 * `targets` are the export targets other than languages, `integrators` those of simulations.
 */
export interface About {
  version: string;
  python: string;
  menus: string[];
  languages: LanguageData[];
  targets: LanguageData[];
  formats: FileFormat[];
  structures: string[];
  bases: string[];
  conventions: string[];
  integrators: string[];
}

/** Bundled robot, as listed in the gallery. */
export interface GalleryEntry {
  id: string;
  name: string;
  title: string;
  family: string;
  structure: string;
  reference: string;
}

/** List of the bundled robots for the gallery. */
export interface RobotsData {
  robots: GalleryEntry[];
}

/** Row of a table of robot data. */
export interface Row {
  j: number | string;
  cells: string[];
  variable?: string | null;
  symbol?: string | null;
  role?: "link" | "opened" | "twin";
  hint?: string;
}

/** Table of robot data, whose cells can be edited. */
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

/** Numbers of links (NL), joints (NJ), frames (NF) and loops (B) of a robot. */
export interface Sizes {
  NL: number;
  NJ: number;
  NF: number;
  B: number;
}

/** Moving joint of a robot, with its limits. */
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

/** Term of a coupling: a driving joint and its ratio. */
export interface Term {
  frame: number;
  ratio: string;
}

/** Coupled joint, whose position is a linear function of the positions of other joints. */
export interface CouplingView {
  frame: number;
  terms: Term[];
  offset: string;
}

/** Frame of a robot, its antecedent and its joint. */
export interface FrameView {
  frame: number;
  ant: number;
  name: string;
  kind: "R" | "P" | "F";
  active: boolean;
}

/** Closed loop of a robot: the cut joint, its second frame (on the other link), and all frames of the loop. */
export interface LoopView {
  opened: number;
  twin: number;
  frames: number[];
}

/**
 * Wheel of a robot.
 *
 * `symbol` is the parameter of its radius, `roller` the angle of the rollers of a Swedish wheel.
 */
export interface WheelView {
  frame: number;
  kind: "fixed" | "steering" | "castor" | "swedish";
  radius: number | null;
  symbol: string | null;
  steering: number | null;
  roller: number | null;
}

/** Platform of a parallel robot, the frames that move with it, and its legs. */
export interface PlatformView {
  frame: number;
  body: number[];
  legs: number[][];
}

/** Shape of a link for display, in a frame of the robot. */
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

/** Solid of a link or joint, placed in a frame; the attributes are those of `symoro.ui.bodies.BodyPart`. */
export interface BodyView {
  link: number;
  shape: "path" | "bar" | "beam" | "rail" | "drum" | "box" | "ball" | "disc" | "plate" | "hull";
  role: "link" | "active" | "passive" | "cut" | "base" | "plate" | "wheel";
  frame: number;
  radius: number;
  length: number;
  point: number[];
  low: number;
  high: number;
  corners: number[];
}

/** Solids with which a robot is drawn; `size` of the robot and `unit`, half the width of a link, in metres. */
export interface BodiesView {
  size: number;
  unit: number;
  parts: BodyView[];
}

/**
 * All data of a robot that the page displays; `file` is the robot's name as a file name.
 *
 * `visuals`, the shapes of a URDF, are present only in the answer of `robot_open`. `legs` is the number of chains on a
 * fixed base that has a mass, if there are several: such a robot is usually a legged robot with a floating base.
 * `modes` are the names of the modal coordinates of flexible links; the key is absent for other robots.
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
  tool_link: number | null;
  bodies: BodiesView;
  tables: Table[];
  visuals?: VisualData[];
  modes?: string[];
  legs?: number;
}

/** Option of a model: name, type, default and permitted values. */
export interface OptionData {
  name: string;
  title: string;
  kind: "frame" | "frames" | "points" | "choice" | "flag" | "text" | "number" | "posture";
  default: unknown;
  choices: string[];
}

/** Input or output of a model; its shape is given by symbolic dimensions, for example 'n' or 'K,n'. */
export interface PortData {
  shape: string;
  title: string;
}

/**
 * Variant of a model for one kind of robot.
 *
 * `of` names the kind of robot; it is absent for the general variant.
 */
export interface FormData {
  of?: string;
  inputs: Record<string, PortData>;
  outputs: Record<string, PortData>;
  options: OptionData[];
  reference: string;
  applies_to: string;
}

/**
 * Option value with which another variant of a model is derived.
 *
 * `form` is the index of that variant. `value` is null if every value except the default selects it.
 */
export interface Switch {
  option: string;
  value: unknown;
  form: number;
}

/**
 * Model of the catalogue with its variants.
 *
 * If the request contains a robot, `form` is the index in [general variant, *forms] of the variant for this robot,
 * `switches` are the options that select other variants, and `why_not` is the reason if the model does not apply.
 */
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

/** All models of the catalogue, in the order of the menus. */
export interface CatalogueData {
  models: EntryData[];
}

/** Contents of text files by file name. */
export interface Files {
  files: Record<string, string>;
}

/** Files of an exported model, and the name of their folder; `binaries` are encoded in base64. */
export interface Project extends Files {
  folder: string;
  binaries: Record<string, string>;
}

/** Shape of an input of a model, and the names of its entries. */
export interface InputData {
  shape: number[];
  entries: string[];
}

/** Source files of a model, and its inputs by name. */
export interface Sources extends Files {
  inputs: Record<string, InputData>;
}

/** Output arrays of a model by name; values that are not finite are null. */
export interface Outputs {
  outputs: Record<string, unknown>;
}

/** Name in the equations of a model, with its LaTeX symbol; the value is null if an input has none. */
export interface Variable {
  name: string;
  latex: string;
  kind: "input" | "parameter" | "variable" | "output";
  meaning: string;
  unit: string;
  value: number | null;
}

/** Names in the equations of a model. */
export interface Variables {
  variables: Variable[];
}

/** Generated JavaScript module, with names and shapes of its inputs and outputs. */
export interface Module {
  source: string;
  parameters: string[];
  inputs: Record<string, number[]>;
  outputs: Record<string, number[]>;
}

/**
 * JavaScript modules for the motion of a robot in the scene.
 *
 * `frames` computes the poses of all frames. `loops` computes the passive joints; it is null if there is no closed
 * form.
 */
export interface Placements {
  frames: Module;
  loops: Module | null;
}

/**
 * Solution of the inverse geometric model.
 *
 * `q` are the positions of the coordinates and `qc` those of the cut joints; `residual` is the difference between the
 * reached pose and the requested one.
 */
export interface PostureRow {
  q: number[];
  qc: number[];
  status: "valid" | "singular";
  residual: number;
  free: number[];
}

/** Solutions of the inverse geometric model for a pose; `complete` is true if these are all solutions. */
export interface SolvedPose {
  method: "closed form" | "numeric";
  complete: boolean;
  coordinates: number[];
  opened: number[];
  solutions: PostureRow[];
}

/**
 * JavaScript modules of the inverse geometric model of the end effector, for evaluation in the page.
 *
 * `modules` contains one module with all solutions, or, for a platform, one per working mode of its legs; since the
 * legs are independent of each other, each column of a leg may be taken from either module. It is empty if the model
 * has no closed form; `why_not` is then the reason. `legs` contains the joints of each leg. `pose` is the given part
 * of the pose: the position if it determines all joints, as in arms without a wrist.
 */
export interface InverseModules {
  modules: Module[];
  legs: number[][];
  pose: "full" | "position";
  complete: boolean;
  why_not: string | null;
}

/**
 * Positions of the end effector in frame 0 (metres), x, y, z of one posture after the other, and a number each.
 *
 * `manipulability` is the product of the singular values of the Jacobian of the position, for closed loops the inverse
 * of its condition number; both relative to the largest one of the points.
 */
export interface WorkspaceCloud {
  points: number[];
  manipulability: number[];
}

/** Input or output of a model, with its shape, unit and entry names. */
export interface ModelPort {
  direction: "in" | "out";
  name: string;
  shape: number[];
  title: string;
  unit: string;
  entries?: string[];
}

/** Operation counts of a model; `setup` counts the operations that are evaluated once, before the first call. */
export interface Counts {
  additions: number;
  multiplications: number;
  divisions: number;
  functions: number;
  others: number;
  kernels: number;
  setup?: Counts;
}

/**
 * Model with its equations, inputs, outputs, operation counts and reference.
 *
 * `file` is the YAML file that the Python code and the command read; it is absent for a bundled robot.
 */
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
  file?: string;
}

/** Numbers of operations before and after an optimisation pass. */
export interface PassData {
  name: string;
  before: number;
  after: number;
}

/** Explanation of a model: formulation, solution steps and optimisation passes. */
export interface Explanation {
  lines: string[];
  passes: PassData[];
}

/**
 * Base inertial parameters of a robot.
 *
 * `relations` contains, per base parameter, the factors of the parameters that are grouped with it, and `latex` the
 * same relation as an equation.
 */
export interface BaseAnswer {
  robot: string;
  names: string[];
  no_effect: string[];
  relations: Record<string, Record<string, string>>;
  latex: Record<string, string>;
  friction: string[];
  method: string;
  conditions: string[];
  notes: string[];
}

/**
 * Condition of a singularity: factors that are all zero, as formulas and typeset.
 *
 * `solution` contains the joint positions as text, or is empty; `joints` are the joints in the factors.
 */
export interface SingularCondition {
  factors: string[];
  latex: string[];
  solution: string;
  joints: number[];
}

/**
 * Singularities of one type: the analysed matrix and the conditions under which it loses rank.
 *
 * `always` is true if it is singular in every configuration, `complete` if no other conditions exist.
 */
export interface SingularCase {
  kind: "serial" | "parallel" | "constraint";
  title: string;
  matrix: string;
  conditions: SingularCondition[];
  always: boolean;
  complete: boolean;
  notes: string[];
}

/** Conditions under which a robot is singular, as text and by type; `complete` if no other conditions exist. */
export interface SingularAnswer {
  text: string;
  complete: boolean;
  cases: SingularCase[];
}

/**
 * Distances of a posture from the singularities of a robot, by type; null if it has none of this type.
 *
 * The characteristic length is 1 m; the distances are defined in `symoro.models.kinematic.singularity_distance`.
 */
export interface SingularityDistances {
  serial: number | null;
  parallel: number | null;
  passive: number | null;
  constraint: number | null;
}

/** Mass (kg) and centre of mass (m, in `frame`) of a link. */
export interface BodyMass {
  frame: number;
  mass: number;
  centre: number[];
}

/** Force (N) and moment (N m) that a link exerts on its environment, in `frame`. */
export interface BodyWrench {
  frame: number;
  force: number[];
  moment: number[];
}

/** Point of a link in contact with the ground: coordinates (m) in `frame`. */
export interface ContactView {
  name: string;
  frame: number;
  at: number[];
}

/**
 * Masses and loads of a robot for display; gravity (m/s2) in the world, contacts in the order of the request.
 *
 * `ends` contains the ends of all chains of a robot with a floating base, as values of the option `contacts`.
 * `unknown` contains the symbols without a nominal value, whose numbers are defaults of the page.
 */
export interface Mechanics {
  masses: BodyMass[];
  gravity: number[];
  wrenches: BodyWrench[];
  contacts: ContactView[];
  ends: unknown[];
  unknown: string[];
}

/** Values of largest magnitude of a joint along a motion, with their signs. */
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

/** Joint limit that a motion exceeds; `text` is a sentence that describes it. */
export interface PassedLimit {
  joint: number;
  what: string;
  limit: number;
  time: number;
  worst: number;
  worst_time: number;
  text: string;
}

/**
 * Motion of a robot: positions `q` of all joints, and torques `tau` of the joints with the numbers `joints`.
 *
 * If there are more than 4000 samples, some are omitted; peaks and energy are computed from all samples.
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

/** Torques along a trajectory; `verdict` is the sentence to display if no limit is exceeded. */
export interface TrajectoryAnswer extends MotionAnswer {
  power: ((number | null)[])[];
  peaks: PeakData[];
  energy: number;
  passed: PassedLimit[];
  verdict: string;
  warnings: string[];
}

/** Exciting trajectory as the text of a file, with condition number and column names of the regressor. */
export interface ExcitationAnswer {
  text: string;
  condition: number;
  columns: string[];
}

/** Event of a joint in a simulation: stick, slip, contact with a stop, or release from it. */
export interface EventData {
  time: number;
  joint: number;
  what: string;
}

/**
 * Simulated motion of a robot.
 *
 * `base` contains the pose of frame 0 in the world per sample, 16 numbers by rows; null if the base does not move.
 * `modes` contains the modal coordinates of flexible links per sample; null if there are none.
 */
export interface SimulationAnswer extends MotionAnswer {
  base: number[][] | null;
  modes: number[][] | null;
  kinetic: (number | null)[] | null;
  potential: (number | null)[] | null;
  events: EventData[];
  finished: boolean;
  why: string;
  warnings: string[];
}

/** Samples of a running simulation, sent before it has ended. */
export interface Piece {
  times: number[];
  q: number[][];
  tau: ((number | null)[])[];
  base: number[][] | null;
  modes: number[][] | null;
}

/** Estimated parameter with its standard deviation; `shown` is its name in the literature, for example ZZR1. */
export interface ParameterData {
  name: string;
  shown: string;
  value: number | null;
  deviation: number | null;
  unit: string;
}

/** Section of an identification report: sentences and a table. */
export interface SectionData {
  title: string;
  text: string[];
  head: string[];
  rows: string[][];
}

/**
 * Result of an identification; residuals are relative to the measurements, null if they are unknown.
 *
 * `robot` is the robot's description with the estimated parameters; `files` contains the report as Markdown and HTML.
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

/** Position of an error, in a file or in a cell of a table. */
export interface ErrorPlace {
  file?: string;
  line?: number;
  column?: number;
  key?: string;
  part?: string;
  j?: number | string;
  field?: string;
}

/** Error with its message and, if known, hint, position and all errors of a robot's description. */
export interface ErrorBody {
  kind: string;
  message: string;
  hint?: string;
  place?: ErrorPlace;
  problems?: string[];
}

/** Answer of a call that failed, with the error. */
export interface Failure {
  error: ErrorBody;
}

/** State of a job (a long call), with its progress and result. */
export interface JobData {
  id: string;
  call: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  progress: Record<string, unknown> | null;
  result: Placements | SolvedPose | InverseModules | WorkspaceCloud | ModelAnswer | Explanation | Sources | Project | Outputs | Variables | BaseAnswer | SingularAnswer | TrajectoryAnswer | ExcitationAnswer | SimulationAnswer | IdentifyAnswer | Failure | null;
  pieces?: Piece[];
  before?: number;
}
