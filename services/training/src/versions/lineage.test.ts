import type { Dataset } from '@ratchet/contracts/datasets'
import { publicId } from '@ratchet/contracts/public-id'
import type { TrainingJob } from '../jobs/job.ts'
import { datasetsOf, lineageOf, type TracedVersion } from './lineage.ts'
import type { StoredVersion } from './model-version.ts'
import type { RewardTrace } from './reward-source.ts'
import type { Adoption } from './version-store.ts'

/* What made a version by a judge's reward, in its lineage. */

const uuid = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const [versionId, jobId, producerId, sourceId, acceptedId, answeringId] = [1, 2, 3, 4, 5, 6].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const traced = (type: 'grpo' | 'raft', reward: Partial<RewardTrace>, datasetId: string): TracedVersion => ({
  version: {
    id: versionId,
    name: 'ft:sim/small:w::abcdefgh',
    baseModel: 'sim/small',
    producedBy: { type, id: producerId },
    jobId,
    datasetId,
    parentId: null,
    step: 40,
    sha256: 'ab',
    bytes: 10,
    status: 'candidate',
    files: [],
    metrics: {},
    aliases: [],
    endpoints: [],
    fingerprint: null,
    adoptedAt: null,
    createdAt: new Date(0),
  } as unknown as StoredVersion,
  job: {
    id: jobId,
    method: type,
    seed: 7,
    trainingFile: null,
    settings: { hyperparameters: {} },
  } as unknown as TrainingJob,
  attempts: [{ trainer: 'sim', codeVersion: 'sim 1', startedAt: new Date(0), exit: 'succeeded' }],
  reward: {
    kind: 'run',
    id: publicId('grpoRun', producerId),
    details: { name: 'Polite' },
    datasetIds: [sourceId],
    answeredBy: null,
    guard: null,
    audit: { graded: 30, false_pass: 1, upper: 0.149 },
    ...reward,
  },
  edges: [],
})

function lineage(version: TracedVersion, adoptions: readonly Adoption[] = []) {
  const ids = datasetsOf(version).map((id) => publicId('dataset', id))
  const dataset = { name: 'Prompts', source: 'logs', filters: { tag: 'x' }, sha256: 'cd' } as unknown as Dataset
  const { nodes, edges } = lineageOf({
    line: [version],
    adoptions,
    evals: [],
    datasets: new Map(ids.map((id) => [id, dataset])),
  })
  const nameOf = ({ id, type }: { readonly id: string; readonly type: string }) =>
    type === 'dataset' ? (id === publicId('dataset', sourceId) ? 'source' : 'accepted') : type
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]))
  return { nodes, edges, steps: edges.map(({ from, to }) => `${names.get(from)} > ${names.get(to)}`) }
}

it('has the run of a version with its attempts, what the guard saw, and what people graded', () => {
  const guard = { verdict: 'healthy', step: 40, looks: [{ step: 40, verdict: 'healthy' }] }
  const { nodes, steps } = lineage(traced('grpo', { guard }, sourceId))
  expect(new Set(steps)).toEqual(
    new Set([
      'log_filters > source',
      'source > run',
      'run > checkpoint',
      'checkpoint > version',
      'version > guard',
      'version > audit',
    ]),
  )
  expect(nodes.find(({ type }) => type === 'run')).toMatchObject({
    id: publicId('grpoRun', producerId),
    details: { name: 'Polite', seed: 7, attempts: [{ code_version: 'sim 1', exit: 'succeeded' }] },
  })
  expect(nodes.find(({ type }) => type === 'guard')?.details).toEqual(guard)
  expect(nodes.find(({ type }) => type === 'audit')?.details).toMatchObject({ graded: 30, false_pass: 1 })
})

it('goes from the prompts of a round through what it accepted to its job', () => {
  const reward = {
    kind: 'round' as const,
    id: publicId('raftRound', producerId),
    answeredBy: { id: answeringId, model: 'ft:before' },
  }
  const { nodes, steps } = lineage(traced('raft', reward, acceptedId))
  expect(new Set(steps)).toEqual(
    new Set([
      'log_filters > source',
      'log_filters > accepted',
      'source > round',
      'version > round',
      'round > accepted',
      'accepted > job',
      'job > checkpoint',
      'checkpoint > version',
      'version > audit',
    ]),
  )
  expect(nodes.find(({ id }) => id === publicId('modelVersion', answeringId))?.details).toEqual({
    model_id: 'ft:before',
  })
})

it('begins with the filters of a round that took its prompts from the log', () => {
  const reward = {
    kind: 'round' as const,
    id: publicId('raftRound', producerId),
    datasetIds: [],
    filters: { tag: 'support' },
  }
  const { nodes, edges } = lineage(traced('raft', reward, acceptedId))
  const filters = nodes.find(({ id }) => id === `filters of ${reward.id}`)
  expect(filters).toMatchObject({ type: 'log_filters', details: { tag: 'support' } })
  expect(edges).toContainEqual({ from: filters?.id, to: reward.id })
})

it('goes on to the aliases that adopted it, and from there to where it got all requests', () => {
  const change = (alias: string, percent: number, at: number): Adoption => ({
    eventId: `00000000-0000-7000-8000-0000000000${at}`,
    aliasName: alias,
    arm: 'canary',
    percent,
    promoted: percent === 100,
    userId: null,
    createdAt: new Date(at),
  })
  const newestFirst = [change('bot', 100, 13), change('shop', 10, 12), change('bot', 50, 11)]
  const { edges, nodes } = lineage(traced('grpo', {}, sourceId), newestFirst)
  const went = nodes.filter(({ type }) => type === 'adoption' || type === 'promotion')
  expect(went.map(({ type, details }) => [type, details.alias, details.percent])).toEqual([
    ['adoption', 'bot', 50],
    ['adoption', 'shop', 10],
    ['promotion', 'bot', 100],
  ])
  const [adoption, , promotion] = went
  expect(edges.filter(({ to }) => to === promotion?.id)).toEqual([{ from: adoption?.id, to: promotion?.id }])
})
