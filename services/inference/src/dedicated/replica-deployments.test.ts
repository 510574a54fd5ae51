import { chooseDeployment } from '../routing/choose-deployment.ts'
import type { Provider } from '../wire/provider.ts'
import type { DedicatedRoute } from './dedicated-route.ts'
import { createReplicaDeployments } from './replica-deployments.ts'

const replica = (id: string) => ({ id, address: `http://${id}:1` })
const route: DedicatedRoute = {
  id: 'e',
  name: 'dedicated/e',
  baseModel: 'acme/fast',
  servedAs: 'acme/fast',
  state: 'RUNNING',
  replicas: [replica('a'), replica('b')],
  targetConcurrency: 8,
  maxContextLength: 4_096,
  priceNanoPerHour: 1n,
  startMs: null,
  createdAt: new Date(0),
}

function replicasAt(clock: { ms: number }) {
  const [opened, closed]: [string[], string[]] = [[], []]
  const replicas = createReplicaDeployments({
    createProvider(address) {
      opened.push(address)
      return { provider: {} as Provider, close: () => void closed.push(address) }
    },
    clockMs: () => clock.ms,
    random: () => 0,
    onEjected() {},
  })
  return { replicas, opened, closed }
}

const none = { tried: new Set<never>(), unit: 0.99 }

it('sends each request to the replica with the fewest', () => {
  const { replicas, opened } = replicasAt({ ms: 0 })
  const chosen = Array.from({ length: 4 }, () => chooseDeployment(replicas.of(route).deployments, none)?.id)
  expect(chosen).toEqual(['a', 'b', 'a', 'b'])
  expect(replicas.running('e')).toEqual({ a: 2, b: 2 })
  expect(opened).toHaveLength(2)
  replicas.of(route).deployments[1]?.health.leave('succeeded')
  expect(chooseDeployment(replicas.of(route).deployments, none)?.id).toBe('b')
})

it('asks one engine for what each name of its endpoint stands for, and counts all of it', () => {
  const { replicas, opened } = replicasAt({ ms: 0 })
  const adapter = { ...route, name: 'dedicated/f', servedAs: 'mv_1-abc', replicas: [replica('a')] }
  chooseDeployment(replicas.of(route).deployments, none)
  expect(chooseDeployment(replicas.of(adapter).deployments, none)).toMatchObject({ id: 'a', upstreamModel: 'mv_1-abc' })
  expect(replicas.running('e')).toEqual({ a: 2, b: 0 })
  expect(opened).toEqual(['http://a:1', 'http://b:1'])
  expect(chooseDeployment(replicas.of(route).deployments, none)).toMatchObject({ id: 'b', upstreamModel: 'acme/fast' })
})

it('goes to the other replica when one has failed', () => {
  const { replicas } = replicasAt({ ms: 0 })
  const [a] = replicas.of(route).deployments
  const tried = new Set(a === undefined ? [] : [a])
  expect(chooseDeployment(replicas.of(route).deployments, { tried, unit: 0 })?.id).toBe('b')
})

it('closes what was not used for ten minutes, unless it is busy', () => {
  const clock = { ms: 0 }
  const { replicas, closed } = replicasAt(clock)
  chooseDeployment(replicas.of(route).deployments, none)
  clock.ms = 700_000
  replicas.closeUnused()
  expect(closed).toEqual(['http://b:1'])
})
