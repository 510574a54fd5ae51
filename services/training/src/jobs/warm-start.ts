import type { CreateFineTuningJob } from '@ratchet/contracts/fine-tuning-body'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { isVersionName } from '../versions/version-name.ts'
import type { VersionStore } from '../versions/version-store.ts'
import { requestedOf } from './resolve-settings.ts'

export interface WarmStartDeps {
  readonly versions: Pick<VersionStore, 'get' | 'named'>
}

/** The adapter that a job is trained from. */
export interface WarmStart {
  /** UUID of its version. */
  readonly id: string
  readonly rank: number
  /** The request with the base of the version as its model. */
  requestOf(request: CreateFineTuningJob): CreateFineTuningJob
}

/**
 * The version that a job is trained from, which `warmStartFrom` or `model` names.
 *
 * @returns null when neither names one
 * @throws ServiceError naming the wrong field
 */
export async function findWarmStart(
  { versions }: WarmStartDeps,
  { workspaceId }: Identity,
  request: CreateFineTuningJob,
): Promise<WarmStart | null> {
  const named = request.warmStartFrom ?? (isVersion(request.model) ? request.model : null)
  if (named === null) return null
  const param = request.warmStartFrom == null ? 'model' : 'warmStartFrom'
  const { id, name, baseModel, rank } = await requireAdapter(versions, workspaceId, { named, param })
  if (param === 'warmStartFrom' && request.model !== baseModel && !isSame(request.model, { id, name })) {
    throw invalidRequest('model', `\`model\` must be ${baseModel}, the base of \`warmStartFrom\`.`)
  }
  requireSameAdapter(request, rank)
  return { id, rank, requestOf: (asked) => ({ ...asked, model: baseModel }) }
}

/** A version with an adapter that a training can go on with. */
export interface StartVersion {
  /** UUID. */
  readonly id: string
  readonly name: string
  readonly baseModel: string
  readonly rank: number
}

/**
 * Finds the version of an id or a name.
 *
 * @throws ServiceError `not_found`, `conflict` for one that is archived, and `invalid_request` for one without an adapter
 */
export async function requireAdapter(
  versions: WarmStartDeps['versions'],
  workspaceId: string,
  { named, param }: { readonly named: string; readonly param: string },
): Promise<StartVersion> {
  const uuid = uuidOf('modelVersion', named)
  const version =
    uuid === null ? await versions.named({ workspaceId, name: named }) : await versions.get({ workspaceId, id: uuid })
  if (version === null) throw notFound('model version', param)
  const { id, name, baseModel, adapterRank: rank, isArchived } = version
  if (isArchived) throw new ServiceError('conflict', 'The model version is archived.', { param })
  if (rank === null) throw invalidRequest(param, `\`${param}\` has no LoRA adapter that the training could go on with.`)
  return { id, name, baseModel, rank }
}

function isVersion(model: string): boolean {
  return isVersionName(model) || uuidOf('modelVersion', model) !== null
}

function isSame(model: string, { id, name }: { readonly id: string; readonly name: string }): boolean {
  return model === name || uuidOf('modelVersion', model) === id
}

function requireSameAdapter({ training, method }: CreateFineTuningJob, rank: number): void {
  if (training === 'full') throw invalidRequest('training', '`training` must be `lora` with `warmStartFrom`.')
  const { loraRank } = requestedOf({ method })
  if (loraRank == null || loraRank === rank) return
  const path = `method.${method.type}.hyperparameters.loraRank`
  throw invalidRequest(path, `\`${path}\` must be ${rank}, the rank of \`warmStartFrom\`.`)
}
