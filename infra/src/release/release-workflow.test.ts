import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { imageFolders } from '../ops/dependencies/images.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly permissions: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly strategy?: { readonly matrix: { readonly folder: readonly string[] } }
  readonly env?: Readonly<Record<string, string>>
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const text = readFileSync(path.join(repositoryRoot, '.github/workflows/release.yml'), 'utf8')
const workflow = parse(text) as Workflow
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)
const images = workflow.jobs.images
const commands = (images?.steps ?? []).map(({ run }) => run ?? '').join('\n')

it('builds an image of every folder of which the recipe makes one', () => {
  expect([...(images?.strategy?.matrix.folder ?? [])].sort()).toEqual([...imageFolders].sort())
})

it('uses actions by the hash of a commit, with the version beside it', () => {
  const uses = [...text.matchAll(/uses: (.+)$/gm)].map(([, action]) => action)

  expect(uses.length).toBeGreaterThan(5)
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(action ?? ''))).toEqual([])
})

it('pins what changes images: bases by digest, the time, the reader of the recipe', () => {
  const recipe = readFileSync(path.join(repositoryRoot, 'infra/docker/service.Dockerfile'), 'utf8')
  for (const name of ['NODE_IMAGE', 'RUNTIME_IMAGE']) {
    expect(recipe).toMatch(new RegExp(`^ARG ${name}=`, 'm'))
    expect(commands).toContain(`--build-arg "${name}=$${name}"`)
  }
  const external = [...recipe.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  const stages = new Set([...recipe.matchAll(/ AS (\S+)$/gm)].map(([, stage]) => stage))
  expect(external.filter((image) => !stages.has(image))).toEqual(
    ['NODE_IMAGE', 'RUNTIME_IMAGE'].map((name) => `\${${name}}`),
  )
  expect(commands.match(/rewrite-timestamp=true/g)).toHaveLength(2)
  expect(commands.match(/BUILDKIT_SYNTAX=/g)).toHaveLength(2)
  expect(images?.env?.SOURCE_DATE_EPOCH).toContain('needs.bases.outputs.epoch')
})

it('signs each image by digest, and attests its bill of materials and its origin', () => {
  expect(commands).toContain('--provenance=mode=max')
  expect(commands).toContain('--sbom=true')
  expect(commands).toContain('cosign sign --yes "$IMAGE"')
  expect(commands).toContain('cosign attest --yes --type cyclonedx')
  expect(commands).toContain('cosign attest --yes --type slsaprovenance1')
  expect(commands).toContain('containerimage.digest')
})

it('gives each job only the rights that it needs, and no input to a shell', () => {
  expect(workflow.permissions).toEqual({})
  expect(workflow.jobs.bases?.permissions).toEqual({ contents: 'read' })
  for (const { permissions } of Object.values(workflow.jobs)) expect(permissions.contents).toBe('read')
  expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
})
