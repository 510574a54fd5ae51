import type { Dataset } from '@ratchet/contracts/datasets'
import type { Eval } from '@ratchet/contracts/evals'
import type { LineageNode, VersionLineage } from '@ratchet/contracts/model-versions'
import { publicId } from '@ratchet/contracts/public-id'
import type { TrainingJob } from '../jobs/job.ts'
import type { StoredVersion } from './model-version.ts'
import { versionReply } from './version-reply.ts'
import type { Adoption, VersionEdge } from './version-store.ts'

/** A version with the things that it is connected with. */
export interface TracedVersion {
  readonly version: StoredVersion
  readonly job: TrainingJob | null
  readonly edges: readonly VersionEdge[]
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
    for (const each of adoptions) {
      const id = publicId('aliasEvent', each.eventId)
      add({ id, type: 'adoption', details: adoptionDetails(each) })
      edges.push({ from: own, to: id })
    }
  }
  return { object: 'model_version.lineage', nodes: [...nodes.values()], edges }
}

interface Graph {
  readonly add: (node: LineageNode) => void
  readonly edges: { from: string; to: string }[]
  readonly datasets: Traces['datasets']
}

/** Adds what a version was made of: filters, dataset, job or run, checkpoint, and the version that it was trained from. */
function addOrigin({ version, job }: TracedVersion, { add, edges, datasets }: Graph): void {
  const own = publicId('modelVersion', version.id)
  const { model_id, base_model, status, produced_by, sha256 } = versionReply(version)
  add({ id: own, type: 'version', details: { model_id, base_model, status, produced_by: produced_by.type, sha256 } })
  const maker = makerOf(version, job)
  if (maker === null) return
  add(maker)
  if (version.step === null) edges.push({ from: maker.id, to: own })
  else {
    const checkpoint = publicId('fineTuningCheckpoint', version.id)
    add({ id: checkpoint, type: 'checkpoint', details: { step: version.step, sha256, size_bytes: version.bytes } })
    edges.push({ from: maker.id, to: checkpoint }, { from: checkpoint, to: own })
  }
  if (version.parentId !== null) edges.push({ from: publicId('modelVersion', version.parentId), to: maker.id })
  addData({ version, job, maker: maker.id }, { add, edges, datasets })
}

interface Made {
  readonly version: StoredVersion
  readonly job: TrainingJob | null
  readonly maker: string
}

function addData({ version, job, maker }: Made, { add, edges, datasets }: Graph): void {
  if (job !== null && job.trainingFile !== null) {
    const id = publicId('file', job.trainingFile)
    add({ id, type: 'file', details: { sha256: job.datasetSha256 } })
    edges.push({ from: id, to: maker })
  }
  const used = [version.datasetId, job?.evalDatasetId ?? null].flatMap((uuid) => uuid ?? [])
  for (const id of used.map((uuid) => publicId('dataset', uuid))) {
    const dataset = datasets.get(id)
    add({ id, type: 'dataset', details: datasetDetails(dataset) })
    edges.push({ from: id, to: maker })
    if (dataset?.source !== 'logs') continue
    const filters = `filters of ${id}`
    add({ id: filters, type: 'log_filters', details: { ...dataset.filters } })
    edges.push({ from: filters, to: id })
  }
}

function makerOf({ producedBy, jobId }: StoredVersion, job: TrainingJob | null): LineageNode | null {
  if (job !== null || jobId !== null) {
    return { id: publicId('fineTuningJob', job?.id ?? jobId ?? ''), type: 'job', details: jobDetails(job) }
  }
  if (producedBy.type === 'grpo') return { id: publicId('grpoRun', producedBy.id), type: 'run', details: {} }
  return producedBy.type === 'raft' ? { id: publicId('raftRound', producedBy.id), type: 'round', details: {} } : null
}

function jobDetails(job: TrainingJob | null): LineageNode['details'] {
  if (job === null) return {}
  const { method, trainer, seed, lostAttempts, settings, datasetSha256 } = job
  const { hyperparameters } = settings
  return { method, trainer, seed, lost_attempts: lostAttempts, hyperparameters, dataset_sha256: datasetSha256 }
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
