import { readFileSync } from 'node:fs'
import path from 'node:path'
import { endpoints } from '@ratchet/contracts/endpoints'
import { evalSampleQueue, judgeQueue } from '@ratchet/contracts/queues'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { newSecrets } from '../fleet/new-secrets.ts'
import { serviceConfigs } from '../fleet/service-configs.ts'
import { environmentOf } from './environment.ts'
import { containersOf, type KubeObject, ofKind, workloads } from './kube-object.ts'
import { egressAllowed } from './network-reach.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()
const onceRendered = render === null ? describe.skip : describe
const objectsOf = (root: string) => render?.(path.join(manifestsFolder, root)) ?? []
const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }

function imagesOf(objects: readonly KubeObject[]): string[] {
  return workloads(objects)
    .flatMap(containersOf)
    .flatMap(({ image }) => image ?? [])
}

onceRendered('a release', () => {
  it.each(['base', 'admin'])('has one version in %s: that of the repository', (root) => {
    const tags = imagesOf(objectsOf(root)).map((image) => image.split(':').at(-1))

    expect([...new Set(tags)]).toEqual([version])
  })

  it('names its migration job after its version', () => {
    const [job] = ofKind(objectsOf('overlays/prod'), 'Job')

    expect(job?.metadata.name).toBe(`migrate-${version.replaceAll('.', '-')}`)
  })

  it('comes from one registry in production, by digest', () => {
    const other = imagesOf(objectsOf('overlays/prod')).filter(
      (image) => !/^registry\.example\.com\/ratchet\/[a-z]+@sha256:[0-9a-f]{64}$/.test(image),
    )

    expect(other).toEqual([])
  })

  it.each(['base', 'admin'])('cannot be pulled in %s before its registry is named', (root) => {
    const other = imagesOf(objectsOf(root)).filter((image) => !image.startsWith('registry.invalid/ratchet/'))

    expect(other).toEqual([])
  })
})

onceRendered('production', () => {
  const objects = objectsOf('overlays/prod')
  const policies = ofKind(objects, 'NetworkPolicy')

  it('has a login to Postgres for each service; only migrations log in as the owner', () => {
    const logins = workloads(objects).map(({ name, pod }) => [
      name.replace(/-worker$/, ''),
      environmentOf(pod, objects).get('DATABASE_URL')?.secret,
    ])

    expect(new Map(logins as [string, unknown][])).toEqual(
      new Map<string, unknown>([
        ...['edge', 'inference', 'logging', 'judging', 'eval', 'alias', 'training', 'voice', 'dashboard'].map(
          (name) => [name, { name: `${name}-login`, key: 'DATABASE_URL' }] as const,
        ),
        [`migrate-${version.replaceAll('.', '-')}`, { name: 'ratchet-stores', key: 'DATABASE_URL' }],
      ]),
    )
  })

  it('connects to no address but those of its stores, each on its port', () => {
    const reach = (ip: string, port: number) =>
      workloads(objects).flatMap(({ name, labels }) =>
        egressAllowed(policies, labels, { kind: 'address', ip }, port) ? [name] : [],
      )
    const others = ['10.20.30.40', '172.16.0.1', '192.168.1.1', 'fd00::1', '198.18.0.11']
    for (const ip of [...others, '198.18.0.20']) expect([ip, reach(ip, 5432)]).toEqual([ip, []])
    for (const ip of [...others, '198.18.0.10']) expect([ip, reach(ip, 6379)]).toEqual([ip, []])
    expect(reach('198.18.0.10', 5432)).toContain('edge')
    expect(reach('198.18.0.20', 6379)).toContain('judging')
  })
})

onceRendered('settings', () => {
  const secrets: Readonly<Record<string, string>> = {
    ...newSecrets(),
    DATABASE_URL: 'postgres://postgres:secret@postgres:5432/ratchet',
    REDIS_URL: 'redis://redis:6379',
  }

  it.each(Object.entries(serviceConfigs))('are accepted by %s', (name, shape) => {
    const objects = objectsOf('overlays/dev')
    const [pod] = workloads(objects).flatMap((workload) => (workload.name === name ? [workload.pod] : []))
    const env = pod === undefined ? [] : [...environmentOf(pod, objects)]
    const values = new Map(env.map(([variable, { value, secret }]) => [variable, value ?? secrets[secret?.key ?? '']]))
    const refused = Object.entries(shape).filter(
      ([variable, setting]) => !setting.safeParse(values.get(variable)).success,
    )

    expect(refused.map(([variable]) => variable)).toEqual([])
  })

  it('restart exactly the pods that read a changed setting', () => {
    const [before, after] = [objectsOf('base'), objectsOf('overlays/dev')].map((objects) =>
      settingsOf(objects, 'inference'),
    )

    expect(before?.map((name) => name.replace(/-[^-]+$/, ''))).toEqual(['common-settings', 'inference-settings'])
    expect(after?.[0]).toBe(before?.[0])
    expect(after?.[1]).not.toBe(before?.[1])
  })

  it('give a kind cluster the simulated provider', () => {
    const objects = objectsOf('overlays/dev')
    const [pod] = workloads(objects).flatMap(({ name, pod }) => (name === 'inference' ? [pod] : []))
    const url = pod === undefined ? null : environmentOf(pod, objects).get('SIMULATED_PROVIDER_URL')?.value

    expect(url).toBe('http://simulated-provider:8089')
  })
})

function settingsOf(objects: readonly KubeObject[], workload: string): string[] {
  const [found] = workloads(objects).filter(({ name }) => name === workload)
  return found === undefined
    ? []
    : containersOf(found).flatMap(({ envFrom = [] }) => envFrom.flatMap((it) => it.configMapRef?.name ?? []))
}

interface ScaledObject extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string }
    readonly minReplicaCount: number
    readonly fallback: { readonly replicas: number }
    readonly triggers: readonly { readonly metadata: Readonly<Record<string, string>> }[]
  }
}

onceRendered('the keda overlay', () => {
  const objects = objectsOf('overlays/keda')
  const scaled = objects.filter(({ kind }) => kind === 'ScaledObject') as unknown as ScaledObject[]

  it.each([
    ['judging-worker', 'judging', judgeQueue.name],
    ['eval-worker', 'eval', evalSampleQueue.name],
    ['training-worker', 'training', 'training-job'],
  ])('scales %s by the metric of %s for the queue %s', (worker, api, queue) => {
    const { spec } = scaled.find(({ metadata }) => metadata.name === worker) ?? {}

    expect(spec?.scaleTargetRef.name).toBe(worker)
    expect(spec?.triggers[0]?.metadata).toMatchObject({
      url: `http://${api}-admin.ratchet.svc:9090/metrics`,
      format: 'prometheus',
      valueLocation: `ratchet_work_items_unfinished{queue="${queue}"}`,
    })
    expect(spec?.minReplicaCount).toBe(1)
    expect(spec?.fallback.replicas).toBeGreaterThanOrEqual(1)
    expect(ofKind(objects, 'Service').map(({ metadata }) => metadata.name)).toContain(`${api}-admin`)
  })

  it('scales voice-worker by calls of the whole fleet, in place of its autoscaler', () => {
    const { spec } = scaled.find(({ metadata }) => metadata.name === 'voice-worker') ?? {}
    expect(spec?.triggers[0]?.metadata).toMatchObject({
      url: 'http://voice-admin.ratchet.svc:9090/metrics',
      format: 'prometheus',
      valueLocation: 'ratchet_voice_calls_live',
    })
    expect(spec?.minReplicaCount).toBe(2)
    const autoscalers = ofKind(objects, 'HorizontalPodAutoscaler').map(({ metadata }) => metadata.name)
    expect(autoscalers).not.toContain('voice-worker')
    expect(autoscalers).toContain('voice')
  })
})

interface HttpRoute extends KubeObject {
  readonly spec: {
    readonly rules: readonly {
      readonly matches: readonly { readonly path: { readonly value: string } }[]
      readonly timeouts: { readonly request: string }
    }[]
  }
}

onceRendered('the gateway-api overlay', () => {
  const routes = objectsOf('overlays/gateway-api').filter(({ kind }) => kind === 'HTTPRoute') as unknown as HttpRoute[]
  const rules = routes.flatMap(({ spec }) => spec.rules)
  const timeoutOf = (url: string) => {
    const matching = rules.flatMap(({ matches, timeouts }) => {
      const lengths = matches.map(({ path: { value } }) => (isUnder(url, value) ? value.length : -1))
      return [{ length: Math.max(...lengths), timeout: timeouts.request }]
    })
    return matching.filter(({ length }) => length >= 0).sort((a, b) => b.length - a.length)[0]?.timeout
  }
  const asked = Object.values(endpoints).filter(({ service, method }) => service === 'inference' && method === 'post')

  it.each(asked.map(({ path: url }) => url))('sets no timeout on %s', (url) => {
    expect(timeoutOf(url)).toBe('0s')
  })

  it('limits the duration of every other request', () => {
    expect(timeoutOf('/v1/logs')).toBe('15m')
  })
})

const isUnder = (url: string, prefix: string) => prefix === '/' || url === prefix || url.startsWith(`${prefix}/`)

onceRendered('the ingress overlay', () => {
  it('does not buffer streams, and allows 15 minutes between two reads', () => {
    const [ingress] = objectsOf('overlays/ingress').filter(({ kind }) => kind === 'Ingress')

    expect(ingress?.metadata).toMatchObject({
      annotations: {
        'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
        'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
        'nginx.ingress.kubernetes.io/proxy-read-timeout': '900',
      },
    })
  })
})
