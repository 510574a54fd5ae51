import type { CreateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import type { Identity } from '@ratchet/contracts/identity'
import { usdToNano } from '@ratchet/contracts/money'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { adapterName } from '../engines/engines.ts'
import type { ModelDirectory } from '../trainable-models/model-directory.ts'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import { requireVersion } from '../versions/require-version.ts'
import type { VersionStore } from '../versions/version-store.ts'
import type { EndpointSettings, NewEndpoint } from './endpoint.ts'
import { fits, type Hardware, maxContextOf } from './hardware.ts'

export interface ChoiceDeps {
  /** In the order of the operator. */
  readonly hardware: readonly Hardware[]
  readonly models: ModelDirectory
  readonly versions: Pick<VersionStore, 'get'>
}

/** @throws ServiceError `model_not_found` */
export async function findModel(
  { models }: Pick<ChoiceDeps, 'models'>,
  identity: Identity,
  id: string,
): Promise<BaseModel> {
  const found = (await models.list(identity)).find((model) => model.id === id)
  if (found !== undefined) return found
  const message =
    'This installation has no weights of that model. `GET /v1/fine_tuning/models` lists those that it has.'
  throw new ServiceError('model_not_found', message, { param: 'model' })
}

/** @throws ServiceError unless exactly one is named, and `not_found` */
async function chooseModel(
  { versions }: Pick<ChoiceDeps, 'versions'>,
  identity: Identity,
  { model, modelVersionId }: Pick<CreateDedicatedEndpoint, 'model' | 'modelVersionId'>,
): Promise<Pick<NewEndpoint, 'baseModel' | 'version'>> {
  if ((model == null) === (modelVersionId == null)) {
    throw invalidRequest('model', 'Exactly one of `model` and `modelVersionId` is required.')
  }
  if (modelVersionId == null) return { baseModel: model ?? '', version: null }
  const found = await requireVersion(versions, identity, modelVersionId, 'modelVersionId')
  if (found.adapterRank === null || found.status === 'rejected' || found.status === 'archived') {
    const message = 'Only a version with an adapter that is neither rejected nor archived can be served.'
    throw invalidRequest('modelVersionId', message)
  }
  const { id, sha256, baseModel } = found
  return { baseModel, version: { id, adapter: adapterName(id, sha256) } }
}

/** The machine of a new endpoint: its price, and the context that its engine gets. @throws ServiceError */
export async function chooseMachine(
  deps: ChoiceDeps,
  identity: Identity,
  { hardware: hardwareId, maxContextLength, adapters, ...named }: CreateDedicatedEndpoint,
): Promise<Pick<NewEndpoint, 'priceNanoPerHour' | 'maxContextLength' | 'baseModel' | 'version' | 'maxAdapters'>> {
  const { baseModel, version } = await chooseModel(deps, identity, named)
  const model = await findModel(deps, identity, baseModel)
  const hardware = deps.hardware.find(({ id }) => id === hardwareId)
  if (hardware === undefined) {
    throw invalidRequest('hardware', 'There is no such `hardware`. `GET /v1/dedicated/hardware` lists what there is.')
  }
  if (!fits(hardware, model.id)) {
    throw invalidRequest(
      'hardware',
      `The model does not run on this \`hardware\`. \`GET /v1/dedicated/hardware?model=\` says where it does.`,
    )
  }
  if (hardware.slots === 0)
    throw new ServiceError('no_capacity', 'There is none of this hardware at present.', { param: 'hardware' })
  const most = maxContextOf(hardware, model)
  if (maxContextLength != null && maxContextLength > most) {
    throw invalidRequest(
      'maxContextLength',
      `\`maxContextLength\` must be at most ${most} for this model and hardware.`,
    )
  }
  const { priceNanoPerHour } = hardware
  const maxAdapters = adapters == null ? 0 : hardware.maxAdapters
  return { priceNanoPerHour, maxContextLength: maxContextLength ?? most, baseModel, version, maxAdapters }
}

export function settingsOf(body: CreateDedicatedEndpoint): EndpointSettings {
  return {
    name: body.name,
    minReplicas: body.minReplicas,
    maxReplicas: body.maxReplicas,
    scaleToZeroAfterS: body.scaleToZeroAfterSeconds,
    scaleUpWindowS: body.scaleUpWindowSeconds,
    scaleDownWindowS: body.scaleDownWindowSeconds,
    targetConcurrency: body.targetConcurrency,
    maxHourlyCostNano: body.maxHourlyCostUsd === null ? null : usdToNano(body.maxHourlyCostUsd),
    drainingS: body.draining,
    metadata: body.metadata ?? {},
  }
}
