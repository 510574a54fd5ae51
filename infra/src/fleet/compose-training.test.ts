import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import type { z } from 'zod'
import { namesRegistry } from '../k8s/policies/workload-rules.ts'
import { lintCompose } from './compose.fixture.ts'
import { repositoryRoot } from './data-paths.ts'
import { serviceConfigs } from './service-configs.ts'

/* docker-compose.training.yml, which is laid over docker-compose.yml. */

interface ComposeService {
  readonly image?: string
  readonly build?: { readonly dockerfile: string; readonly target: string }
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
}

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8')
const text = read('docker-compose.training.yml')
const servicesOf = (content: string) =>
  (parse(content, { merge: true }) as { services: Record<string, ComposeService> }).services
const added = servicesOf(text)
const base = servicesOf(read('docker-compose.yml'))
const changed = Object.keys(added).filter((name) => base[name] !== undefined)
const environmentOf = (name: string) => added[name]?.environment ?? {}

it('is accepted by the schema of compose files and by the linter', () => {
  expect(lintCompose(text)).toEqual([])
  expect(lintCompose(text.replace('shm_size: 8g', 'shm_sizes: 8g')).join()).toContain('invalid-schema')
})

it('names the registry of every image, and publishes no port', () => {
  const images = Object.values(added).flatMap(({ image }) => image ?? [])
  expect(images).toHaveLength(3)
  expect(images.filter((image) => !namesRegistry(image))).toEqual([])
  expect(Object.values(added).flatMap(({ ports }) => ports ?? [])).toEqual([])
})

it.each(changed)('sets for %s only what it reads, to values that it takes', (name) => {
  const shape = (serviceConfigs[name] ?? {}) as Readonly<Record<string, z.ZodType | undefined>>
  const wrong = Object.entries(environmentOf(name)).filter(([key, value]) => {
    const schema = shape[key]
    // A variable of the operator has any value.
    return schema === undefined || (!value.includes('${') && !schema.safeParse(value).success)
  })
  expect(wrong).toEqual([])
  // The compose file has each of them, or the worker's list of engines, which only this file needs.
  const known = Object.keys(base[name]?.environment ?? {})
  expect(Object.keys(environmentOf(name)).filter((key) => !known.includes(key))).toEqual(
    name === 'training-worker' ? ['ENGINE_LIST'] : [],
  )
})

it('gives the fleet the keys and the bucket of the store that it starts', () => {
  const store = environmentOf('artifact-store')
  for (const name of ['training', 'training-worker']) {
    expect(environmentOf(name)).toMatchObject({
      ARTIFACTS_S3_ENDPOINT: 'http://artifact-store:8333',
      ARTIFACTS_S3_BUCKET: 'artifacts',
      ARTIFACTS_S3_ACCESS_KEY_ID: store.AWS_ACCESS_KEY_ID,
      ARTIFACTS_S3_SECRET_ACCESS_KEY: store.AWS_SECRET_ACCESS_KEY,
    })
  }
  expect(added['artifact-store']?.command).toContain('-s3.port=8333')
  expect(added['artifact-bucket']?.command?.join()).toContain('s3.bucket.create -name artifacts')
})

it('names only addresses of services that run then', () => {
  const hosts = [...text.matchAll(/https?:\/\/([a-z][a-z-]*):\d+/g)].map(([, host = '']) => host)
  expect(hosts).toContain('vllm')
  expect(hosts.filter((host) => added[host] === undefined && base[host] === undefined)).toEqual([])
})

it('starts vLLM as the engine profile of Kubernetes does, with adapters where the worker puts them', () => {
  const [profile] = [JSON.parse(read('k8s/components/serving-engines/profiles/vllm.json'))]
  const [engine] = profile.manifest.spec.containers
  const vllm = added.vllm
  expect(vllm?.command).toEqual(expect.arrayContaining(engine.args))
  expect(vllm?.image?.split(':v').at(-1)).toBe(engine.image.split(':').at(-1))
  const variables = Object.fromEntries(
    engine.env.map((each: { name: string; value: string }) => [each.name, each.value]),
  )
  expect({ ...vllm?.environment, HOME: '/tmp' }).toEqual(variables)
  const folder = environmentOf('training-worker').ENGINE_ADAPTERS_DIR
  expect(vllm?.volumes).toContain(`adapters:${folder}:ro`)
  expect(added['training-worker']?.volumes).toContain(`adapters:${folder}`)
})

it('builds the worker from a stage of the recipe of trainers, with the program that it starts', () => {
  const { dockerfile = '', target = '' } = added['training-worker']?.build ?? {}
  const recipe = read(dockerfile)
  expect(recipe).toContain(` AS ${target}\n`)
  const [program] = environmentOf('training-worker').PROCESS_COMMAND?.split(',') ?? []
  expect(recipe).toContain(`COPY --from=build ${path.dirname(path.dirname(program ?? ''))} `)
})
