import { createHash } from 'node:crypto'
import type { AnyTrainerSpec } from '@ratchet/contracts/grpo-spec'
import type { CheckpointFile, TrainerCommand, TrainerEvent } from '@ratchet/contracts/trainer-protocol'
import type { TrainerFile, TrainerSpec } from '@ratchet/contracts/trainer-spec'
import { createGrpoRun, type GivenGrpoSpec, type GrpoRun } from './grpo-steps.ts'

/** What a test asks for: the specification without what only the server knows. */
export type GivenSpec = Omit<TrainerSpec, 'attempt' | 'resume'>
export type Given = GivenSpec | GivenGrpoSpec

interface DurableCheckpoint {
  readonly files: readonly CheckpointFile[]
  readonly trained_tokens: number
  readonly metrics: Readonly<Record<string, number | null>>
  readonly generation: number
}

/** A job with its attempts, as the service would keep it, in memory. Only the newest attempt may write. */
export interface ProtocolJob {
  generation: number
  command: TrainerCommand
  /** The step at whose checkpoint the job ends because its money does. */
  stopAtStep: number | null
  /** A command that heartbeats are answered with from a step on. */
  planted: { readonly command: TrainerCommand; readonly step: number } | null
  /** The path before whose next call another attempt begins. */
  supersedeAt: string | null
  /** How many uploads are lost. */
  lostUploads: number
  /** Its steps, when it is a run. */
  readonly run: GrpoRun
  /** How often a trainer is told that its data is not covered yet. */
  uncoveredTimes: number
  /** What attempts counted. */
  readonly data: unknown[]
  readonly heartbeats: { readonly step: number; readonly phase: string }[]
  readonly events: Map<string, TrainerEvent>
  readonly begun: Map<string, readonly CheckpointFile[]>
  readonly durable: Map<number, DurableCheckpoint>
  readonly fingerprints: Map<number, unknown>
  readonly results: unknown[]
  readonly failures: unknown[]
  readonly stops: unknown[]
  /** Bytes by their hash. */
  readonly store: Map<string, Buffer>
}

export function createProtocolJob(): ProtocolJob {
  return {
    generation: 0,
    command: 'continue',
    stopAtStep: null,
    planted: null,
    supersedeAt: null,
    lostUploads: 0,
    run: createGrpoRun(),
    uncoveredTimes: 0,
    data: [],
    heartbeats: [],
    events: new Map(),
    begun: new Map(),
    durable: new Map(),
    fingerprints: new Map(),
    results: [],
    failures: [],
    stops: [],
    store: new Map(),
  }
}

/** The specification of an attempt. `fileUrl` says where the bytes of a hash are. */
export function specOf(
  job: ProtocolJob,
  given: Given,
  { generation, fileUrl }: { generation: number; fileUrl: (sha256: string) => string },
): AnyTrainerSpec {
  const step = Math.max(0, ...job.durable.keys())
  const last = job.durable.get(step)
  const toFile = ({ name, sha256, bytes }: Omit<TrainerFile, 'url'>) => ({ name, sha256, bytes, url: fileUrl(sha256) })
  if (given.kind === 'grpo') {
    const { run: _run, ...spec } = given
    const resume = last === undefined ? null : { step, files: last.files.map(toFile) }
    return { ...spec, attempt: generation, warm_start: given.warm_start?.map(toFile) ?? null, resume }
  }
  return {
    ...given,
    attempt: generation,
    dataset: { ...given.dataset, url: fileUrl(given.dataset.sha256) },
    validation: given.validation === null ? null : { ...given.validation, url: fileUrl(given.validation.sha256) },
    warm_start: given.warm_start?.map(toFile) ?? null,
    resume: last === undefined ? null : { step, trained_tokens: last.trained_tokens, files: last.files.map(toFile) },
  }
}

/** The files of a manifest that the store lacks, or has with other bytes. */
export function missingFiles(job: ProtocolJob, files: readonly CheckpointFile[]): readonly string[] {
  return files.filter(({ sha256, bytes }) => job.store.get(sha256)?.length !== bytes).map(({ name }) => name)
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
