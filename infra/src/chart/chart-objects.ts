import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../k8s/kube-object.ts'
import { hashedNames, stableName, withExpressions } from './config-map-names.ts'
import { mergeVariants } from './merge-variants.ts'
import { identify, parametersOf, readPlace, writePlace } from './parameters.ts'
import type { Manifests } from './read-manifests.ts'
import type { Conditional, Expression, Template } from './template.ts'
import { setValue, type Values } from './values.ts'

/** A template of one object of the chart. */
export interface ChartObject {
  /** File of `templates/` in which it is. */
  readonly file: string
  readonly template: Template
}

/**
 * Makes a template of every object. Defaults of the values are what the manifests have, and are written to `values`.
 *
 * @throws Error when a component changes the base in a way that the values cannot express
 */
export function chartObjects(manifests: Manifests, values: Values): readonly ChartObject[] {
  const { base, components, priorityClass } = manifests
  const hashed = hashedNames([base, ...components.map(({ objects }) => objects)].flat())
  const bases = new Map(base.map((object) => [stableName(object), object]))
  const prepare = (object: KubeObject) =>
    withParameters(object, { base: bases.get(stableName(object)) ?? object, hashed, values })
  const variants = components.map(({ component, objects, without: rest }) => {
    const others = new Map(rest.map((object) => [stableName(object), prepare(object)]))
    const all = objects.map((object) => ({ name: stableName(object), object, template: prepare(object) }))
    return {
      component,
      added: all.filter(({ name }) => !others.has(name)),
      removed: new Set([...others.keys()].filter((name) => !all.some((each) => each.name === name))),
      changed: new Map(
        all.flatMap(({ name, template }) =>
          isDeepStrictEqual(others.get(name), template) ? [] : [[name, template] as const],
        ),
      ),
    }
  })
  const ofBase = base.map((object) => {
    const name = stableName(object)
    const unchanged = prepare(object)
    // A component that changes nothing here has the object as it is.
    const nodes = variants.map(({ component, changed }) => ({ component, node: changed.get(name) ?? unchanged }))
    const removers = variants.filter(({ removed }) => removed.has(name)).map(({ component }) => component)
    const template = conditional(object, mergeVariants(unchanged, nodes, name))
    return { file: fileOf(object, base), template: removers.reduce(without, template) }
  })
  const ofComponents = variants.flatMap(({ component, added }) =>
    added.map(({ template }) => ({ file: component, template: enabled(component, template) })),
  )
  const ofPriority = priorityClass.map((object) => ({
    file: 'priority-class',
    template: enabled('priority-class', object as unknown as Template),
  }))
  return [...ofBase, ...ofComponents, ...ofPriority]
}

interface Sources {
  readonly base: KubeObject
  readonly hashed: ReadonlySet<string>
  readonly values: Values
}

function withParameters(object: KubeObject, { base, hashed, values }: Sources): Template {
  const parameters = parametersOf(object)
  let template: unknown = withImages(withExpressions(object, hashed))
  for (const { at, value } of parameters) {
    const isInBase = readPlace(base, at) !== undefined
    const here = readPlace(object, at)
    if (here !== undefined) {
      setValue(values, value, isInBase ? readPlace(base, at) : here)
      template = writePlace(template, at, expressionOf(value))
    } else if (!isInBase && readPlace(object, at.slice(0, -1)) !== undefined) {
      setValue(values, value, null)
      const field: Conditional = { $if: `not (kindIs "invalid" ${indexOf(value)})`, $then: expressionOf(value) }
      template = writePlace(template, at, field)
    }
  }
  return template as Template
}

/** Images and the name of the Job are made of several values. */
function withImages(object: KubeObject): KubeObject {
  const at = ['spec', 'template', 'spec', 'containers', 0, 'image']
  const image = readPlace(object, at)
  if (typeof image !== 'string') return object
  const name = /^registry\.invalid\/ratchet\/([a-z]+):/.exec(image)?.[1]
  if (name === undefined) throw new Error(`${identify(object)} has the image ${image}`)
  const named = object.kind === 'Job' ? writePlace(object, ['metadata', 'name'], migrationsName) : object
  return writePlace(named, at, { $helm: `include "ratchet.image" (list $ "${name}")` }) as KubeObject
}

const migrationsName: Expression = { $helm: 'include "ratchet.migrationsName" $' }

function conditional(object: KubeObject, template: Template): Template {
  const name = object.metadata.name
  if (object.kind === 'Namespace') return { $if: '$.Values.namespace.create', $then: template }
  if (object.kind !== 'HorizontalPodAutoscaler') return template
  return { $if: indexOf(['processes', name, 'autoscaling', 'enabled']), $then: template }
}

const without = (template: Template, component: string): Conditional => ({
  $if: `not ${indexOf(['components', component, 'enabled'])}`,
  $then: template,
})

const enabled = (component: string, template: Template): Conditional => ({
  $if: indexOf(['components', component, 'enabled']),
  $then: template,
})

function fileOf({ kind, metadata: { name } }: KubeObject, base: readonly KubeObject[]): string {
  if (kind === 'ConfigMap') return 'settings'
  const isProcess = base.some((other) => ['Deployment', 'Job'].includes(other.kind) && other.metadata.name === name)
  if (isProcess) return name
  return kind === 'NetworkPolicy' ? 'network' : 'namespace'
}

const indexOf = (at: readonly string[]) => `(index $.Values ${at.map((key) => JSON.stringify(key)).join(' ')})`
const expressionOf = (at: readonly string[]): Expression => ({ $helm: `toJson ${indexOf(at)}` })
