import type { Provider } from '../wire/provider.ts'
import { chooseDeployment } from './choose-deployment.ts'
import { createPoolDeployments } from './pool-deployments.ts'

const pool = (addresses: readonly string[]) => ({ versionId: 'v', adapter: 'mv_v-1', addresses })

function deployments() {
  const uses: string[] = []
  const made = createPoolDeployments({
    engine: (address, workspaceId) => ({ address, workspaceId }) as unknown as Provider,
    waking: () => ({ address: 'any' }) as unknown as Provider,
    noteUse: (versionId, workspaceId) => uses.push(`${workspaceId} ${versionId}`),
    concurrencyMax: 10,
    clockMs: () => 0,
    random: () => 0,
    onEjected: () => {},
  })
  return { made, uses }
}

it('has a deployment for each engine, and one that is called when these have failed', () => {
  const { made, uses } = deployments()
  const { deployments: all } = made.of(pool(['http://a:1', 'http://b:2']), 'w')
  expect(all.map(({ id, upstreamModel }) => [id, upstreamModel])).toEqual([
    ['mv_v-1@a:1', 'mv_v-1'],
    ['mv_v-1@b:2', 'mv_v-1'],
    ['mv_v-1@any', 'mv_v-1'],
  ])
  for (const unit of [0, 0.49, 0.5, 0.999]) {
    const chosen = chooseDeployment(all, { tried: new Set(), unit })
    expect(chosen?.id).toBe(unit < 0.5 ? 'mv_v-1@a:1' : 'mv_v-1@b:2')
  }
  expect(chooseDeployment(all, { tried: new Set(all.slice(0, 2)), unit: 0.2 })?.id).toBe('mv_v-1@any')
  expect(uses).toEqual(['w v'])
})

it('keeps the health of an engine that stays, and waits for one where there is none', () => {
  const { made } = deployments()
  const first = made.of(pool(['http://a:1']), 'w').deployments
  const second = made.of(pool(['http://a:1', 'http://c:3']), 'w').deployments
  expect(second[0]?.health).toBe(first[0]?.health)
  expect(made.of(pool([]), 'w').deployments.map(({ id }) => id)).toEqual(['mv_v-1@any'])
  expect(made.known()).toHaveLength(1)
})
