import type { CheckpointFile, CheckpointUpload } from '@ratchet/contracts/trainer-protocol'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ArtifactRows } from '../artifacts/artifact-rows.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { Attempt, AttemptStore } from './attempt.ts'
import { checkManifest, checkpointLimits } from './check-manifest.ts'
import { uploadScope } from './complete-checkpoint.ts'
import { manifestHash } from './manifest-hash.ts'
import { superseded, TrainerRefusal } from './trainer-refusal.ts'

export interface BeginDeps {
  readonly attempts: Pick<AttemptStore, 'beginCheckpoint'>
  readonly artifacts: Pick<ArtifactStore, 'stat' | 'signUpload'>
  readonly artifactRows: Pick<ArtifactRows, 'add' | 'ofWorkspace'>
  readonly newId: () => string
  readonly now: () => Date
}

/** How long a trainer has to upload, milliseconds. */
export const uploadMs = 3_600_000

/**
 * Notes what a checkpoint consists of, and says where to upload what the store does not have from this workspace.
 *
 * @throws ServiceError or TrainerRefusal for a checkpoint that may not be stored
 */
export async function beginCheckpoint(
  { attempts, artifacts, artifactRows, newId, now }: BeginDeps,
  attempt: Attempt,
  { step, files }: { readonly step: number; readonly files: readonly CheckpointFile[] },
) {
  requireStep(attempt, step)
  const problems = checkManifest(files, checkpointLimits)
  if (problems.length > 0) {
    throw new TrainerRefusal('invalid_artifact', 'These files may not be stored.', { files: problems })
  }
  const begun = await attempts.beginCheckpoint(attempt, { id: newId(), step, files })
  if (begun === null) throw superseded()
  requireAnnounced(attempt, begun.announcedBytes)
  if (manifestHash(begun.files) !== manifestHash(files)) {
    throw new ServiceError('invalid_request', 'This step has a durable checkpoint with other files.', { param: 'step' })
  }
  // Before anything is stored, so that the sweep finds what is never completed.
  await artifactRows.add(files)
  const expiresAt = new Date(now().getTime() + uploadMs)
  const known = await artifactRows.ofWorkspace(attempt.workspaceId, files)
  const uploads: CheckpointUpload[] = []
  for (const { name, sha256, bytes } of files) {
    const isStored = known.has(sha256) && (await artifacts.stat(sha256)) !== null
    const upload = { sha256, bytes, scope: uploadScope(attempt) }
    const { url, headers } = isStored ? { url: null, headers: {} } : await artifacts.signUpload(upload, expiresAt)
    uploads.push({ name, url, headers: { ...headers } })
  }
  return { step, uploads, expires_at: expiresAt.toISOString() }
}

/** Checkpoints beyond those of the plan: some are begun again, or saved because a trainer has to stop. */
const spareCheckpoints = 8

/**
 * Whatever is announced can be uploaded, so an attempt may announce what its plan can need.
 *
 * @throws TrainerRefusal
 */
function requireAnnounced({ settings }: Attempt, announcedBytes: number): void {
  const { total_steps: total, save_every_steps: saveEvery, servable_steps: servable } = settings.plan
  const checkpoints = Math.ceil(total / saveEvery) + servable.length + spareCheckpoints
  if (announcedBytes <= checkpoints * checkpointLimits.max_checkpoint_bytes) return
  const problem = `have more bytes than the ${checkpoints} largest checkpoints, with all that this attempt has begun before`
  throw new TrainerRefusal('invalid_artifact', 'These files may not be stored.', { files: [{ name: '*', problem }] })
}

function requireStep({ durable, settings }: Attempt, step: number): void {
  const { total_steps: last } = settings.plan
  const first = durable?.step ?? 1
  if (step >= first && step <= last) return
  const message = `Checkpoints of this attempt have steps from ${first} to ${last}.`
  throw new ServiceError('invalid_request', message, { param: 'step' })
}
