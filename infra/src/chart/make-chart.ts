import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stringify } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { type KubeObject, ofKind } from '../k8s/kube-object.ts'
import type { Render } from '../k8s/render.ts'
import { manifestsFolder } from '../k8s/render.ts'
import { chartObjects } from './chart-objects.ts'
import { hashedData } from './config-map-names.ts'
import { overlayValues } from './overlay-values.ts'
import { type Manifests, readManifests } from './read-manifests.ts'
import { printTemplate } from './template.ts'
import { schemaOf, setValue, type Values } from './values.ts'

const sources = path.join(repositoryRoot, 'infra', 'chart')

export interface Chart {
  readonly templates: number
  readonly values: Values
}

/**
 * Writes a Helm chart of the manifests in `k8s/`: with its default values it is the base, each component is a value, and
 * `values-production.yaml` makes of it `overlays/prod`.
 *
 * @returns the number of templates, and the default values
 */
export function makeChart(folder: string, render: Render): Chart {
  const manifests = readManifests(render)
  const values = firstValues(manifests)
  const objects = chartObjects(manifests, values)
  const templates = path.join(folder, 'templates')
  mkdirSync(templates, { recursive: true })
  for (const [file, group] of Map.groupBy(objects, (object) => object.file)) {
    const text = group.map(({ template }) => printTemplate(template)).join('---\n')
    writeFileSync(path.join(templates, `${file}.yaml`), text)
  }
  const production = overlayValues(manifests.base, render(path.join(manifestsFolder, 'overlays', 'prod')), values)
  const write = (name: string, content: unknown) =>
    writeFileSync(path.join(folder, name), stringify(content, { version: '1.1' }))
  write('Chart.yaml', description())
  write('values.yaml', values)
  write('values-production.yaml', production)
  writeFileSync(path.join(folder, 'values.schema.json'), `${JSON.stringify(schemaOf(values), null, 2)}\n`)
  cpSync(path.join(sources, '_helpers.tpl'), path.join(templates, '_helpers.tpl'))
  cpSync(path.join(sources, 'README.md'), path.join(folder, 'README.md'))
  return { templates: objects.length, values }
}

/** Values that are not at a place of one object. */
function firstValues({ base, components, priorityClass }: Manifests): Values {
  const values: Values = {
    images: { registry: 'registry.invalid/ratchet', tag: '', digests: {} },
    namespace: { create: false },
    migrations: { name: '' },
    configMaps: dataOf(base),
    processes: {},
    components: {},
  }
  for (const { metadata } of ofKind(base, 'HorizontalPodAutoscaler')) {
    setValue(values, ['processes', metadata.name, 'autoscaling', 'enabled'], true)
  }
  for (const { component, objects, without } of components) {
    setValue(values, ['components', component], { enabled: false, configMaps: changes(objects, without) })
  }
  if (priorityClass.length > 0) setValue(values, ['components', 'priority-class'], { enabled: false })
  return values
}

/** Settings in which the namespace is named get it from Helm. */
function dataOf(objects: readonly KubeObject[]): Record<string, Record<string, string>> {
  const inValues = (text: string) => text.replaceAll('.ratchet.svc', '.<namespace>.svc')
  return Object.fromEntries(
    [...hashedData(objects)].map(([name, data]) => [
      name,
      Object.fromEntries(Object.entries(data).map(([key, text]) => [key, inValues(text)])),
    ]),
  )
}

/** Settings that a component adds or changes. */
function changes(objects: readonly KubeObject[], without: readonly KubeObject[]) {
  const before = dataOf(without)
  const changed = Object.entries(dataOf(objects)).map(([name, data]) => {
    const entries = Object.entries(data).filter(([key, text]) => before[name]?.[key] !== text)
    return [name, Object.fromEntries(entries)] as const
  })
  return Object.fromEntries(changed.filter(([, data]) => Object.keys(data).length > 0))
}

function description() {
  const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }
  return {
    apiVersion: 'v2',
    name: 'ratchet',
    description: 'Self-hosted LLM gateway that closes the improvement loop.',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
  }
}
