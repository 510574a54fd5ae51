import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { schemaProblems } from './check-schema.ts'
import type { KubeObject } from './kube-object.ts'
import { policies } from './policies/all-policies.ts'
import { podSecurityProblems } from './policies/pod-security.ts'
import { workloadProblems } from './policies/workload-rules.ts'
import { findRenderer, manifestsFolder } from './render.ts'

const render = findRenderer()

const foldersIn = (name: string) => readdirSync(path.join(manifestsFolder, name)).map((folder) => `${name}/${folder}`)
const roots = ['base', ...foldersIn('overlays')]
const components = foldersIn('components')

const rendered = new Map<string, readonly KubeObject[]>()

function objectsOf(root: string): readonly KubeObject[] {
  const known = rendered.get(root) ?? render?.(path.join(manifestsFolder, root)) ?? []
  rendered.set(root, known)
  return known
}

/** Renders production with every component, as an operator's own overlay would be. */
function renderEverything(): readonly KubeObject[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'overlay-'))
  try {
    const from = (name: string) => path.relative(folder, path.join(manifestsFolder, name))
    const kustomization = { resources: [from('overlays/prod')], components: components.map(from) }
    writeFileSync(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization))
    return render?.(folder) ?? []
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const onceRendered = render === null ? describe.skip : describe

onceRendered.each([...roots, 'production with every component'])('%s', (root) => {
  const objects = roots.includes(root) ? objectsOf(root) : renderEverything()

  it('has objects that the API server accepts, without unknown fields', async () => {
    const problems = await Promise.all(objects.map(schemaProblems))

    expect(problems.flat()).toEqual([])
    expect(objects.length).toBeGreaterThan(60)
  })

  it.each(Object.entries(policies))('keeps the policy %s', (_name, problemsIn) => {
    expect(problemsIn(objects)).toEqual([])
  })
})

onceRendered('admin', () => {
  const objects = objectsOf('admin')

  it('is a pod that the namespace accepts', async () => {
    expect((await Promise.all(objects.map(schemaProblems))).flat()).toEqual([])
    expect(podSecurityProblems(objects)).toEqual([])
    expect(workloadProblems(objects)).toEqual([])
  })
})
