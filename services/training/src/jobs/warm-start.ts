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
  const uuid = uuidOf('modelVersion', named)
  const version =
    uuid === null ? await versions.named({ workspaceId, name: named }) : await versions.get({ workspaceId, id: uuid })
  if (version === null) throw notFound('model version', param)
  const { id, baseModel, adapterRank: rank, isArchived } = version
  if (isArchived) throw new ServiceError('conflict', 'The model version is archived.', { param })
  if (rank === null) throw invalidRequest(param, `\`${param}\` has no LoRA adapter that the training could go on with.`)
  if (param === 'warmStartFrom' && request.model !== baseModel && !isSame(request.model, version)) {
    throw invalidRequest('model', `\`model\` must be ${baseModel}, the base of \`warmStartFrom\`.`)
  }
  requireSameAdapter(request, rank)
  return { id, rank, requestOf: (asked) => ({ ...asked, model: baseModel }) }
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
