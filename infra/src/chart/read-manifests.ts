import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { KubeObject } from '../k8s/kube-object.ts'
import { manifestsFolder, type Render } from '../k8s/render.ts'

/** Components that change another component. */
const needed: Readonly<Record<string, string>> = {
  'training-jobs-kueue': 'training-jobs',
  'training-jobs-nodes': 'training-jobs',
}

/** The base with one component, and what the component is compared with. */
export interface ComponentManifests {
  readonly component: string
  readonly objects: readonly KubeObject[]
  readonly without: readonly KubeObject[]
}

export interface Manifests {
  readonly base: readonly KubeObject[]
  /** In the order in which a kustomization lists them. */
  readonly components: readonly ComponentManifests[]
  readonly priorityClass: readonly KubeObject[]
}

export const componentNames: readonly string[] = readdirSync(path.join(manifestsFolder, 'components')).sort()

export function readManifests(render: Render): Manifests {
  const base = render(path.join(manifestsFolder, 'base'))
  const production = render(path.join(manifestsFolder, 'overlays', 'prod'))
  const components = componentNames.map((component) => {
    const other = needed[component]
    const others = other === undefined ? [] : [other]
    return {
      component,
      objects: renderWith(render, { resource: 'base', components: [...others, component] }),
      without: other === undefined ? base : renderWith(render, { resource: 'base', components: others }),
    }
  })
  return { base, components, priorityClass: production.filter(({ kind }) => kind === 'PriorityClass') }
}

/** Renders a part of `k8s/` with components, as an operator's own overlay would. */
export function renderWith(
  render: Render,
  { resource, components }: { readonly resource: string; readonly components: readonly string[] },
): readonly KubeObject[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'overlay-'))
  try {
    const from = (name: string) => path.relative(folder, path.join(manifestsFolder, name))
    const used = components.map((name) => from(path.join('components', name)))
    const kustomization = { resources: [from(resource)], components: used }
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
    return render(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
