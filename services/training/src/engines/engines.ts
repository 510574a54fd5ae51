import type { Readable } from 'node:stream'

/** What an engine is started with. */
export interface EngineOrder {
  /** Unique among the engines of the installation: lower-case letters, digits and `-`, at most 63 characters. */
  readonly name: string
  /** Id of the base model in the catalog. Requests to the engine name it so. */
  readonly baseModel: string
  /** What an engine loads of the base: a folder, or a name on the hub. */
  readonly modelSource: string
  /** A kind of machine that the installation has, such as `a100-80gb`; null: the one that its engines have by default. */
  readonly hardware: string | null
  /** Tokens of a prompt and its answer; null: as many as the model has. */
  readonly maxContextLength: number | null
  /** Adapters that it can have loaded at once; 0: it serves the base model alone. */
  readonly maxAdapters: number
  readonly precision: 'auto' | 'bf16' | 'fp8'
}

/**
 * `waiting`: it has no machine yet. `starting`: it does not answer yet. `running`: its process runs, and answers or is about
 * to. `exited`: it will not answer again.
 */
export type EngineState = 'waiting' | 'starting' | 'running' | 'exited'

/** An engine that was started and was not removed yet. */
export interface StartedEngine {
  readonly name: string
  /** `http://host:port`, without a slash at the end; null while it has none. */
  readonly address: string | null
  readonly state: EngineState
}

/** A file of an adapter, by its hash. */
export interface AdapterFile {
  /** Without folders: letters, digits, dots, dashes and underscores. */
  readonly name: string
  readonly sha256: string
  readonly bytes: number
}

/** An adapter with the name under which engines load it. Other files have another name: it is never changed in place. */
export interface Adapter {
  /** {@link adapterName} */
  readonly name: string
  readonly files: readonly AdapterFile[]
  read(sha256: string): Promise<Readable>
}

/**
 * Starts programs that serve a base model and adapters, each at its own address with vLLM's HTTP interface. It knows nothing
 * about endpoints, pools or money: what runs and should not is stopped by whoever compares.
 */
export interface Engines {
  /** `sim`, `process`, `kubernetes` or `listed`. */
  readonly name: string
  /** Whether what it started must end when the worker stops, because nobody else would see it. */
  readonly endsWithWorker: boolean
  /** Starts one. A second call with the same name does nothing. */
  start(order: EngineOrder): Promise<void>
  /** `gracefully` lets requests end first. Does nothing for a name that is not listed. */
  stop(name: string, how: 'gracefully' | 'now'): Promise<void>
  /** Those that this process, or for a cluster any process, has started. */
  list(): Promise<readonly StartedEngine[]>
  /** Removes one that has exited from the list, with its files. */
  forget(name: string): Promise<void>
  /**
   * Brings the files of an adapter to an engine, unless they are there. They are checked against their hashes.
   *
   * @returns the folder as the engine sees it, for `POST /v1/load_lora_adapter`
   * @throws Error when the files cannot be read or are not what they should be
   */
  place(engine: string, adapter: Adapter): Promise<string>
  /** Removes the files of an adapter that the engine has unloaded. */
  discard(engine: string, adapter: string): Promise<void>
}

/**
 * The name under which engines load a version, `mv_<32 hex digits>-<first 8 digits of its hash>`: other weights have another name.
 *
 * @param id UUID of the version
 * @param sha256 of the list of its files
 */
export function adapterName(id: string, sha256: string): string {
  return `mv_${id.replaceAll('-', '')}-${sha256.slice(0, 8)}`
}
