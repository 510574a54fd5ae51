import { buffer } from 'node:stream/consumers'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { ArtifactRows } from '../artifacts/artifact-rows.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import {
  checkLoraTensors,
  headerLength,
  InvalidSafetensors,
  lengthBytes,
  readSafetensorsHeader,
} from '../artifacts/safetensors-header.ts'
import type { Attempt, AttemptStore, BegunCheckpoint } from './attempt.ts'
import { adapterWeights, type FileProblem } from './check-manifest.ts'
import { endsAtMaximum } from './ends-at-maximum.ts'

export interface CompleteDeps {
  readonly attempts: Pick<AttemptStore, 'completeCheckpoint'>
  readonly artifacts: ArtifactStore
  readonly artifactRows: Pick<ArtifactRows, 'add' | 'refer' | 'ofWorkspace'>
}

/** What a trainer says about a checkpoint whose files are uploaded. */
export interface Completion {
  readonly trainedTokens: number
  readonly epoch: number | null
  readonly metrics: Readonly<Record<string, number | null>>
  /** The model of the catalog that answers as this checkpoint; null when the trainer does not serve it. */
  readonly servedAs: string | null
}

/**
 * `incomplete`: files are missing or differ, and can be uploaded again. `invalid`: files may not be stored at all.
 * `superseded`: the attempt has ended meanwhile.
 */
export type Completed =
  | { readonly kind: 'durable'; readonly at: Date; readonly trainedTokens: number; readonly isLast: boolean }
  | { readonly kind: 'incomplete' | 'invalid'; readonly files: readonly FileProblem[] }
  | { readonly kind: 'superseded' }

/** The scope of the uploads of an attempt. */
export function uploadScope({ jobId, generation }: Pick<Attempt, 'jobId' | 'generation'>): string {
  return `${jobId}-${generation}`
}

/**
 * Makes a checkpoint durable when the store has all its files with the announced sizes and hashes, and its adapter is one.
 * Only then can it be charged. A repeated call finds it durable.
 */
export async function completeCheckpoint(
  deps: CompleteDeps,
  { attempt, begun }: { readonly attempt: Attempt; readonly begun: BegunCheckpoint },
  completion: Completion,
): Promise<Completed> {
  if (begun.durableAt !== null) {
    const { trainedTokens, durableAt } = begun
    return {
      kind: 'durable',
      at: durableAt,
      trainedTokens,
      isLast: endsAtMaximum(attempt, { step: begun.step, trainedTokens }),
    }
  }
  // From here on the sweep keeps them for a day, also those that the store has already.
  await deps.artifactRows.add(begun.files)
  const missing = await storeUploads(deps, attempt, begun)
  if (missing.length > 0) return { kind: 'incomplete', files: missing }
  const servable = attempt.settings.plan.servable_steps.includes(begun.step)
  const isServed = begun.files.some(({ kind }) => kind === 'adapter') || completion.servedAs !== null
  if (servable && !isServed) return { kind: 'invalid', files: [{ name: adapterWeights, problem: 'is missing' }] }
  const invalid = await checkAdapter(deps.artifacts, { attempt, files: begun.files })
  if (invalid.length > 0) return { kind: 'invalid', files: invalid }
  const trainedTokens = clampTokens(attempt, completion.trainedTokens)
  const at = await deps.attempts.completeCheckpoint(attempt, {
    ...completion,
    epoch: clampEpoch(attempt, completion.epoch),
    id: begun.id,
    step: begun.step,
    files: begun.files,
    trainedTokens,
    servable,
  })
  if (at === null) return { kind: 'superseded' }
  return { kind: 'durable', at, trainedTokens, isLast: endsAtMaximum(attempt, { step: begun.step, trainedTokens }) }
}

interface FilesOf {
  readonly attempt: Attempt
  readonly files: readonly CheckpointFile[]
}

/** What was uploaded is noted one by one, because an upload counts once and the others may have to be sent again. */
async function storeUploads(
  { artifacts, artifactRows }: CompleteDeps,
  attempt: Attempt,
  { id, files }: BegunCheckpoint,
): Promise<readonly FileProblem[]> {
  const { workspaceId } = attempt
  const known = new Set(await artifactRows.ofWorkspace(workspaceId, files))
  const problems: FileProblem[] = []
  for (const { name, sha256, bytes } of files) {
    const acceptance = await artifacts.accept({ sha256, bytes, scope: uploadScope(attempt) })
    if (acceptance === 'stored') {
      await artifactRows.refer({ id, workspaceId }, [{ sha256, bytes }])
      known.add(sha256)
    }
    const stored = known.has(sha256) ? await artifacts.stat(sha256) : null
    if (stored?.bytes === bytes) continue
    problems.push({ name, problem: acceptance === 'missing' ? 'is not uploaded' : 'has other bytes than announced' })
  }
  return problems
}

const sliced = createSlicedWork()

async function checkAdapter(artifacts: ArtifactStore, { attempt, files }: FilesOf): Promise<readonly FileProblem[]> {
  const { lora_rank: rank } = attempt.settings.hyperparameters
  const problems: FileProblem[] = []
  for (const { name, kind, sha256, bytes } of files) {
    if (kind !== 'adapter' || !name.endsWith('.safetensors')) continue
    try {
      const first = await buffer(await artifacts.get(sha256, lengthBytes))
      const length = lengthBytes + headerLength(first, bytes)
      const header = await buffer(await artifacts.get(sha256, length))
      const tensors = await sliced.run(readSafetensorsHeader(header, bytes))
      const isChecked = rank !== null && name === adapterWeights
      const problem = isChecked ? await sliced.run(checkLoraTensors(tensors, rank)) : null
      if (problem !== null) problems.push({ name, problem })
    } catch (error) {
      if (!(error instanceof InvalidSafetensors)) throw error
      problems.push({ name, problem: `is not a safetensors file: ${error.message}` })
    }
  }
  return problems
}

/** A trainer can neither take tokens back that were charged, nor charge more than the job. */
function clampTokens({ durable, settings }: Attempt, reported: number): number {
  return Math.max(durable?.trainedTokens ?? 0, Math.min(reported, settings.plan.total_tokens))
}

function clampEpoch({ settings }: Attempt, reported: number | null): number | null {
  return reported === null ? null : Math.min(reported, settings.hyperparameters.n_epochs)
}
