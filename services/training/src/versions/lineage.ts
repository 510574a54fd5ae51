import type { Dataset } from '@ratchet/contracts/datasets'
import type { Eval } from '@ratchet/contracts/evals'
import type { LineageNode, VersionLineage } from '@ratchet/contracts/model-versions'
import { publicId } from '@ratchet/contracts/public-id'
import type { TrainingJob } from '../jobs/job.ts'
import type { StoredVersion } from './model-version.ts'
import type { RewardTrace } from './reward-source.ts'
import { versionReply } from './version-reply.ts'
import type { Adoption, TrainerAttempt, VersionEdge } from './version-store.ts'

/** A version with the things that it is connected with. */
export interface TracedVersion {
  readonly version: StoredVersion
  readonly job: TrainingJob | null
  readonly attempts: readonly TrainerAttempt[]
  /** Of a version that a reward made. */
  readonly reward: RewardTrace | null
  readonly edges: readonly VersionEdge[]
}

/** UUIDs of the datasets that a version comes from. */
export function datasetsOf({ version, job, reward }: Omit<TracedVersion, 'edges' | 'attempts'>): readonly string[] {
  const own = [version.datasetId, job?.evalDatasetId ?? null].flatMap((id) => id ?? [])
  return [...new Set([...own, ...(reward?.datasetIds ?? [])])]
}

export interface Traces {
  /** The version and those that it was trained from, the newest first. */
  readonly line: readonly TracedVersion[]
  /** Of the newest version alone. */
  readonly adoptions: readonly Adoption[]
  readonly evals: readonly Eval[]
  /** Those that still exist, by public id. */
  readonly datasets: ReadonlyMap<string, Dataset>
}

/** Where a version comes from and where it went: nodes by id, each once. */
export function lineageOf({ line, adoptions, evals, datasets }: Traces): VersionLineage {
  const nodes = new Map<string, LineageNode>()
  const edges: { from: string; to: string }[] = []
  const add = (node: LineageNode) => void nodes.set(node.id, node)
  for (const traced of line) addOrigin(traced, { add, edges, datasets })
  const [newest] = line
  if (newest !== undefined) {
    const own = publicId('modelVersion', newest.version.id)
    for (const each of evals) {
      add({ id: each.id, type: 'eval', details: evalDetails(each, newest.version.name) })
      edges.push({ from: own, to: each.id })
    }
    for (const { kind, target, details } of newest.edges) {
      if (nodes.has(target)) continue
      add({ id: target, type: kind, details: { ...details } })
      edges.push({ from: own, to: target })
    }
    addFindings(newest, { add, edges })
    addAdoptions(own, adoptions, { add, edges })
  }
  return { object: 'model_version.lineage', nodes: [...nodes.values()], edges }
}

interface Graph {
  readonly add: (node: LineageNode) => void
  readonly edges: { from: string; to: string }[]
  readonly datasets: Traces['datasets']
}

/** What guard and people found out about a version. */
function addFindings({ version, reward }: TracedVersion, { add, edges }: Omit<Graph, 'datasets'>): void {
  const own = publicId('modelVersion', version.id)
  const found = { guard: reward?.guard ?? null, audit: reward?.audit ?? null }
  for (const [type, details] of Object.entries(found) as ['guard' | 'audit', LineageNode['details'] | null][]) {
    if (details === null) continue
    const id = `${type} of ${own}`
    add({ id, type, details: { ...details } })
    edges.push({ from: own, to: id })
  }
}

/** Where it went. What got all requests of an alias had some of them before, so a promotion comes after an adoption. */
function addAdoptions(own: string, newestFirst: readonly Adoption[], { add, edges }: Omit<Graph, 'datasets'>): void {
  const began = new Map<string, string>()
  for (const each of newestFirst.toReversed()) {
    const id = publicId('aliasEvent', each.eventId)
    add({ id, type: each.promoted ? 'promotion' : 'adoption', details: adoptionDetails(each) })
    edges.push({ from: each.promoted ? (began.get(each.aliasName) ?? own) : own, to: id })
    if (!each.promoted) began.set(each.aliasName, id)
  }
}

/** Adds what a version was made of: filters, dataset, job, run or round, checkpoint, and the versions before it. */
function addOrigin(traced: TracedVersion, graph: Graph): void {
  const { version, reward } = traced
  const { add, edges } = graph
  const own = publicId('modelVersion', version.id)
  const { model_id, base_model, status, produced_by, sha256 } = versionReply(version)
  add({ id: own, type: 'version', details: { model_id, base_model, status, produced_by: produced_by.type, sha256 } })
  const maker = makerOf(traced)
  if (maker === null) return
  add(maker)
  if (version.step === null) edges.push({ from: maker.id, to: own })
  else {
    const checkpoint = publicId('fineTuningCheckpoint', version.id)
    add({ id: checkpoint, type: 'checkpoint', details: { step: version.step, sha256, size_bytes: version.bytes } })
    edges.push({ from: maker.id, to: checkpoint }, { from: checkpoint, to: own })
  }
  if (version.parentId !== null) edges.push({ from: publicId('modelVersion', version.parentId), to: maker.id })
  if (traced.job !== null && traced.job.trainingFile !== null) {
    const id = publicId('file', traced.job.trainingFile)
    add({ id, type: 'file', details: { sha256: traced.job.datasetSha256 } })
    edges.push({ from: id, to: maker.id })
  }
  if (reward?.kind === 'round') addRound(traced, reward, graph)
  else for (const uuid of datasetsOf(traced)) addDataset(uuid, maker.id, graph)
}

/** A round asks the prompts of a dataset, and makes the one that its job trains on. */
function addRound(
  { version }: TracedVersion,
  { id, details, datasetIds, filters = null, answeredBy }: RewardTrace,
  graph: Graph,
): void {
  const { add, edges } = graph
  const job = publicId('fineTuningJob', version.jobId ?? '')
  add({ id, type: 'round', details: { ...details } })
  for (const uuid of datasetIds) addDataset(uuid, id, graph)
  if (filters !== null) {
    add({ id: `filters of ${id}`, type: 'log_filters', details: { ...filters } })
    edges.push({ from: `filters of ${id}`, to: id })
  }
  if (version.datasetId === null) edges.push({ from: id, to: job })
  else edges.push({ from: id, to: addDataset(version.datasetId, job, graph) })
  if (answeredBy === null) return
  const answering = publicId('modelVersion', answeredBy.id)
  add({ id: answering, type: 'version', details: { model_id: answeredBy.model } })
  edges.push({ from: answering, to: id })
}

function addDataset(uuid: string, to: string, { add, edges, datasets }: Graph): string {
  const id = publicId('dataset', uuid)
  const dataset = datasets.get(id)
  add({ id, type: 'dataset', details: datasetDetails(dataset) })
  edges.push({ from: id, to })
  if (dataset?.source !== 'logs') return id
  const filters = `filters of ${id}`
  add({ id: filters, type: 'log_filters', details: { ...dataset.filters } })
  edges.push({ from: filters, to: id })
  return id
}

/** The id of a GRPO run is that of its job too; a round is beside its job. */
function makerOf({ version: { jobId }, job, attempts, reward }: TracedVersion): LineageNode | null {
  const details = jobDetails(job, attempts)
  if (reward?.kind === 'run') return { id: reward.id, type: 'run', details: { ...details, ...reward.details } }
  return jobId === null ? null : { id: publicId('fineTuningJob', jobId), type: 'job', details }
}

function jobDetails(job: TrainingJob | null, attempts: readonly TrainerAttempt[]): LineageNode['details'] {
  if (job === null) return {}
  const { method, trainer, seed, lostAttempts, settings, datasetSha256 } = job
  const { hyperparameters } = settings
  return {
    method,
    trainer,
    seed,
    lost_attempts: lostAttempts,
    attempts: attempts.map(({ trainer: name, codeVersion, startedAt, exit }) => {
      return { trainer: name, code_version: codeVersion, started_at: startedAt.toISOString(), exit }
    }),
    hyperparameters,
    dataset_sha256: datasetSha256,
  }
}

function datasetDetails(dataset: Dataset | undefined): LineageNode['details'] {
  if (dataset === undefined) return { deleted: true }
  const { name, kind, source, sha256, example_count } = dataset
  return { name, kind, source, sha256, example_count }
}

function evalDetails(
  { name, status, baseline_model, report, created_at }: Eval,
  model: string,
): LineageNode['details'] {
  const figures = report?.candidates[model]
  const { win_rate = null, win_rate_ci = null } = figures ?? {}
  return { name, status, baseline_model, win_rate, win_rate_ci, created_at }
}

function adoptionDetails({ aliasName, arm, percent, userId, createdAt }: Adoption): LineageNode['details'] {
  return { alias: aliasName, arm, percent, user_id: userId, created_at: createdAt.toISOString() }
}
