import type { VersionLineage } from '@ratchet/contracts/model-versions'
import { knownText, lineageLayout, lineageSentence, nodeText } from './lineage-layout.ts'

const node = (id: string, type: VersionLineage['nodes'][number]['type'], details = {}) => ({ id, type, details })
const lineage: VersionLineage = {
  object: 'model_version.lineage',
  nodes: [
    node('mv_2', 'version', { status: 'adopted' }),
    node('job', 'job', { method: 'supervised', trainer: 'sim' }),
    node('ds', 'dataset', { name: 'Talks' }),
    node('filters', 'log_filters', { tag: 'x' }),
    node('mv_1', 'version'),
    node('eval', 'eval', { name: 'Proof' }),
  ],
  edges: [
    { from: 'job', to: 'mv_2' },
    { from: 'ds', to: 'job' },
    { from: 'mv_1', to: 'job' },
    { from: 'filters', to: 'ds' },
    { from: 'mv_2', to: 'eval' },
  ],
}

it('puts each thing after all that it came from', () => {
  const { nodes, columns, rows } = lineageLayout(lineage)
  const at = new Map(nodes.map(({ node: { id }, column, row }) => [id, [column, row]]))
  expect(Object.fromEntries(at)).toEqual({
    filters: [0, 0],
    mv_1: [0, 1],
    ds: [1, 0],
    job: [2, 0],
    mv_2: [3, 0],
    eval: [4, 0],
  })
  expect([columns, rows]).toEqual([5, 2])
})

it('draws no edge to what is not there, and ends with a circle', () => {
  const edges = [...lineage.edges, { from: 'eval', to: 'gone' }, { from: 'eval', to: 'filters' }]
  expect(lineageLayout({ ...lineage, edges }).edges).toHaveLength(6)
})

it('says it in words', () => {
  expect(lineageSentence(lineage)).toBe(
    'Lineage of the version: 2 version, 1 job, 1 dataset, 1 log, 1 eval, and 5 steps from one to another.',
  )
  expect(lineage.nodes.map(nodeText)).toEqual(['adopted', 'supervised, sim', 'Talks', 'tag x', '', 'Proof'])
  expect(nodeText(node('a', 'promotion', { alias: 'bot', percent: 100 }))).toBe('bot 100 %')
  expect(nodeText(node('a', 'adoption', { alias: 'bot', percent: 10 }))).toBe('bot 10 %')
  expect(nodeText(node('c', 'checkpoint', { step: 15 }))).toBe('step 15')
  expect(nodeText(node('d', 'dataset', { deleted: true }))).toBe('deleted')
})

it('says what guard and people found, and what a thing is made of', () => {
  expect(nodeText(node('g', 'guard', { verdict: 'healthy', looks: [] }))).toBe('healthy')
  expect(nodeText(node('a', 'audit', { graded: 30, false_pass: 2 }))).toBe('2 of 30 failed')
  expect(nodeText(node('r', 'round', { name: null, round_index: 1 }))).toBe('round 2')
  expect(nodeText(node('r', 'run', { name: 'Polite', method: 'grpo' }))).toBe('Polite')
  expect(knownText(node('d', 'dataset', { name: 'Talks', sha256: '0123456789abcdef' }))).toBe(
    'Talks, sha256 0123456789ab',
  )
  const attempts = [{ code_version: null }, { code_version: 'sim 1' }]
  expect(knownText(node('j', 'job', { method: 'dpo', trainer: 'sim', seed: 7, attempts }))).toBe(
    'dpo, sim, seed 7, 2 attempts, sim 1',
  )
})
