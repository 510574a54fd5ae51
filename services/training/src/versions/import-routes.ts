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
import type { ArtifactStore, StagedContent } from '../artifacts/artifact-store.ts'
import {
  checkLoraTensors,
  InvalidSafetensors,
  lengthBytes,
  maxHeaderBytes,
  readSafetensorsHeader,
} from '../artifacts/safetensors-header.ts'
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
  readonly artifacts: Pick<ArtifactStore, 'put' | 'stage'>
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
        read: (digest) => readAgain(request, digest),
        make: (digest) => importSent(deps, { request, identity, digest }),
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
  /** The weights, in the store. */
  readonly staged: StagedContent
  /** The beginning of the weights, with the whole header. */
  readonly head: Buffer
}

const formFields = ['baseModel', 'base_model', 'name', 'adapterConfig', 'adapter_config']

interface SentImport {
  readonly request: Request
  readonly identity: Identity
  readonly digest: BodyDigest
}

/** The weights go to the store as they arrive: they are larger than what may be in memory. */
async function importSent(deps: ImportDeps, { request, identity, digest }: SentImport): Promise<{ id: string }> {
  const sent = await readForm(request, {
    fields: formFields,
    maxFileBytes: maxImportBytes,
    onFile: ({ content }, fields) => stageAdapter(deps, digest.through(content), digested(digest, fields)),
  })
  try {
    return { id: await importAdapter(deps, identity, sent) }
  } finally {
    // What cannot be removed now is swept later.
    await sent.staged.discard().catch(() => undefined)
  }
}

/** Reads a repeated form, and makes nothing of it. */
function readAgain(request: Request, digest: BodyDigest): Promise<unknown> {
  return readForm(request, {
    fields: formFields,
    maxFileBytes: maxImportBytes,
    async onFile({ content }, fields) {
      for await (const _ of digest.through(content));
      return digested(digest, fields)
    },
  })
}

/** The digest counts the weights and then the fields, in whatever order they are sent. */
async function digested(digest: BodyDigest, fields: Promise<FormFields>): Promise<FormFields> {
  const read = await fields
  digest.add(JSON.stringify(Object.entries(read).toSorted()))
  return read
}

async function stageAdapter(
  { artifacts }: ImportDeps,
  content: AsyncIterable<Uint8Array>,
  fields: Promise<FormFields>,
): Promise<SentAdapter> {
  fields.catch(() => undefined)
  const head = createHead()
  const staged = await artifacts.stage(head.through(content))
  try {
    return { staged, head: head.read(), fields: await fields }
  } catch (error) {
    await staged.discard().catch(() => undefined)
    throw error
  }
}

/** Keeps the first bytes that pass, in which a header is. */
function createHead() {
  const pieces: Uint8Array[] = []
  let kept = 0
  return {
    async *through(content: AsyncIterable<Uint8Array>) {
      for await (const piece of content) {
        if (kept < lengthBytes + maxHeaderBytes) {
          pieces.push(piece)
          kept += piece.length
        }
        yield piece
      }
    },
    read: () => Buffer.concat(pieces),
  }
}

/** @returns UUID of the version */
async function importAdapter(
  deps: ImportDeps,
  identity: Identity,
  { fields, staged, head }: SentAdapter,
): Promise<string> {
  const { baseModel, name, adapterConfig } = parseInput(ImportModelVersion, spelled(fields))
  const model = await requireBase(deps.models, identity, baseModel)
  const rank = await requireAdapter(model, adapterConfig, { head, bytes: staged.bytes })
  const { workspaceId, userId: createdBy } = identity
  const id = deps.newId()
  const config = Buffer.from(adapterConfig)
  const ofConfig = createHash('sha256').update(config).digest('hex')
  const files: CheckpointFile[] = [
    { name: adapterWeights, kind: 'adapter', sha256: staged.sha256, bytes: staged.bytes },
    { name: configName, kind: 'adapter', sha256: ofConfig, bytes: config.length },
  ]
  await deps.artifactRows.add(files)
  // Before the bytes are content: what is beyond the quota would stay for a day.
  await deps.artifactRows.refer({ id, workspaceId }, files)
  await staged.keep()
  await deps.artifacts.put({ sha256: ofConfig, bytes: config.length }, config)
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
  weights: Weights,
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

interface Weights {
  readonly head: Buffer
  /** Of the whole file. */
  readonly bytes: number
}

async function tensorProblem({ head, bytes }: Weights, rank: number): Promise<string | null> {
  try {
    const tensors = await sliced.run(readSafetensorsHeader(head, bytes))
    return await sliced.run(checkLoraTensors(tensors, rank))
  } catch (error) {
    if (!(error instanceof InvalidSafetensors)) throw error
    return `is not a safetensors file: ${error.message}`
  }
}

function incompatible(param: string, what: string): ServiceError {
  return new ServiceError('incompatible_adapter', `\`${param}\` ${what}.`, { param })
}
