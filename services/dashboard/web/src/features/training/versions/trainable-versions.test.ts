import { trainableVersions } from './trainable-versions.ts'

const version = {
  id: 'mv_1',
  name: 'support',
  base_model: 'sim/small',
  adapter: { rank: 8, size_bytes: 1_000 },
  status: 'candidate',
  step: 12,
} as const

it('offers versions with an adapter of a model, with their steps', () => {
  const imported = { ...version, id: 'mv_2', name: null, step: null }
  expect(trainableVersions([version, imported], [{ id: 'sim/small' }])).toEqual([
    { value: 'mv_1', label: 'support, from sim/small, step 12' },
    { value: 'mv_2', label: 'from sim/small' },
  ])
})

it.each([
  ['has all weights', { adapter: null }],
  ['is rejected', { status: 'rejected' }],
  ['is archived', { status: 'archived' }],
  ['is of a model that no trainer offers', { base_model: 'other/small' }],
] as const)('offers none that %s', (_, more) => {
  expect(trainableVersions([{ ...version, ...more }], [{ id: 'sim/small' }])).toEqual([])
})
