import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { ImportModelVersion, importModelVersion, maxImportBytes } from '@ratchet/contracts/model-version-changes'
import { publicId } from '@ratchet/contracts/public-id'
import type { CheckpointFile } from '@ratchet/contracts/trainer-protocol'
import { answerOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import type { BodyDigest } from '@ratchet/service-kit/http/body-digest'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { type FormFields, isForm, readForm } from '@ratchet/service-kit/http/read-form'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { parseJson } from '@ratchet/service-kit/values/json'
import type { Request, Router } from 'express'
import { z } from 'zod'
import type { ArtifactRows } from '../artifacts/artifact-rows.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { checkLoraTensors, InvalidSafetensors, readSafetensorsHeader } from '../artifacts/safetensors-header.ts'
import { adapterWeights } from '../attempts/check-manifest.ts'
import type { ModelDirectory } from '../trainable-models/model-directory.ts'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import type { NewVersion } from './model-version.ts'
import { requireVersion } from './require-version.ts'
import { versionReply } from './version-reply.ts'
import type { VersionStore } from './version-store.ts'

export interface ImportDeps extends OnceDeps {
  readonly versions: Pick<VersionStore, 'get'>
  readonly createVersion: (version: NewVersion) => Promise<unknown>
  readonly models: ModelDirectory
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly artifactRows: Pick<ArtifactRows, 'add' | 'refer'>
  readonly importPlaces: FairPlaces
  readonly newId: () => string
}

const configName = 'adapter_config.json'

/** The settings of an adapter as PEFT writes them, as far as they are checked. */
const AdapterConfig = z.looseObject({
  peft_type: z.literal('LORA'),
  r: z.int().min(1),
  base_model_name_or_path: z.string().nullish(),
  // PEFT loads Python modules of the names in these.
  auto_mapping: z.null().optional(),
  megatron_config: z.null().optional(),
})

export function importRoute(router: Router, deps: ImportDeps): void {
  mountRaw(router, importModelVersion, async ({ identity, request }, response) => {
    if (!isForm(request)) {
      throw new ServiceError('unsupported_media_type', 'Send `multipart/form-data` with the adapter as `file`.')
    }
    const { answer, headers } = await deps.importPlaces.run(identity.workspaceId, () =>
      answerOnce(deps, {
        request,
        identity,
        endpoint: importModelVersion.path,
        read: (digest) => readAdapter(request, digest),
        make: async (digest) => ({ id: await importAdapter(deps, identity, await readAdapter(request, digest)) }),
      }),
    )
    const version = await requireVersion(deps.versions, identity, publicId('modelVersion', answer.id))
    response
      .status(201)
      .set(headers)
      .json(importModelVersion.reply.parse(versionReply(version)))
  })
}

interface SentAdapter {
  readonly fields: FormFields
  readonly weights: Buffer
  /** Of the weights, in hex. */
  readonly sha256: string
}

/** The digest counts the weights and the fields, in whatever order they are sent. */
function readAdapter(request: Request, digest: BodyDigest): Promise<SentAdapter> {
  return readForm(request, {
    fields: ['baseModel', 'base_model', 'name', 'adapterConfig', 'adapter_config'],
    maxFileBytes: maxImportBytes,
    async onFile({ content }, fields) {
      // Pieces that are put together at the end would need twice the memory.
      const room = Buffer.allocUnsafe(maxImportBytes)
      // At once they would take all requests a tenth of a second.
      const hash = createHash('sha256')
      let length = 0
      for await (const piece of digest.through(content)) {
        room.set(piece, length)
        hash.update(piece)
        length += piece.length
      }
      const read = await fields
      digest.add(JSON.stringify(Object.entries(read).toSorted()))
      return { weights: room.subarray(0, length), sha256: hash.digest('hex'), fields: read }
    },
  })
}

/** @returns UUID of the version */
async function importAdapter(
  deps: ImportDeps,
  identity: Identity,
  { fields, weights, sha256 }: SentAdapter,
): Promise<string> {
  const { baseModel, name, adapterConfig } = parseInput(ImportModelVersion, spelled(fields))
  const model = await requireBase(deps.models, identity, baseModel)
  const rank = await requireAdapter(model, adapterConfig, weights)
  const { workspaceId, userId: createdBy } = identity
  const id = deps.newId()
  const config = Buffer.from(adapterConfig)
  const contents = new Map([
    [adapterWeights, weights],
    [configName, config],
  ])
  const ofConfig = createHash('sha256').update(config).digest('hex')
  const files: CheckpointFile[] = [
    { name: adapterWeights, kind: 'adapter', sha256, bytes: weights.length },
    { name: configName, kind: 'adapter', sha256: ofConfig, bytes: config.length },
  ]
  await deps.artifactRows.add(files)
  // Before the bytes are stored: what is beyond the quota would stay for a day.
  await deps.artifactRows.refer({ id, workspaceId }, files)
  for (const file of files) await deps.artifacts.put(file, contents.get(file.name) ?? Buffer.alloc(0))
  await deps.createVersion({
    id,
    workspaceId,
    baseModel,
    suffix: name ?? null,
    producedBy: { type: 'import', id: null },
    jobId: null,
    step: null,
    parentId: null,
    datasetId: null,
    files,
    adapterRank: rank,
    metrics: {},
    servedAs: null,
    createdBy,
  })
  return id
}

/** A form has each field as text, in one of two spellings. */
function spelled({ baseModel, base_model, name, adapterConfig, adapter_config }: FormFields) {
  return {
    baseModel: baseModel ?? base_model,
    adapterConfig: adapterConfig ?? adapter_config,
    ...(name === undefined ? {} : { name }),
  }
}

async function requireBase(models: ModelDirectory, identity: Identity, id: string): Promise<BaseModel> {
  const all = await models.list(identity)
  const found = all.find((model) => model.id === id)
  if (found !== undefined) return found
  const message = `${JSON.stringify(id)} is no model that can be trained here.`
  throw new ServiceError('model_not_trainable', message, {
    param: 'baseModel',
    details: { trainable: all.map((model) => model.id) },
  })
}

/** @returns the rank @throws ServiceError `incompatible_adapter` */
async function requireAdapter(
  { id, source, loraRanks }: BaseModel,
  adapterConfig: string,
  weights: Buffer,
): Promise<number> {
  const { data: config } = AdapterConfig.safeParse(parseJson(adapterConfig))
  if (config === undefined)
    throw incompatible('adapterConfig', 'is not the settings of a LoRA adapter, as PEFT writes them')
  const { r: rank, base_model_name_or_path: base } = config
  if (!loraRanks.some((known) => known === rank)) {
    throw incompatible('adapterConfig', `has rank ${rank}; adapters of ${id} may have ${loraRanks.join(', ')}`)
  }
  if (base != null && base !== id && base !== source) {
    throw incompatible('adapterConfig', `names another base, ${JSON.stringify(base.slice(0, 200))}`)
  }
  const problem = await tensorProblem(weights, rank)
  if (problem !== null) throw incompatible('file', problem)
  return rank
}

const sliced = createSlicedWork()

async function tensorProblem(weights: Buffer, rank: number): Promise<string | null> {
  try {
    const tensors = await sliced.run(readSafetensorsHeader(weights, weights.length))
    return await sliced.run(checkLoraTensors(tensors, rank))
  } catch (error) {
    if (!(error instanceof InvalidSafetensors)) throw error
    return `is not a safetensors file: ${error.message}`
  }
}

function incompatible(param: string, what: string): ServiceError {
  return new ServiceError('incompatible_adapter', `\`${param}\` ${what}.`, { param })
}
