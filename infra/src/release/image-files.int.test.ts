import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { collectOutput } from '../processes/collect-output.ts'
import { findProgram } from '../processes/find-program.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'

const recipe = readFileSync(path.join(repositoryRoot, 'infra/docker/service.Dockerfile'), 'utf8')

/** Commands of a stage of the recipe. */
function commandsOf(stage: string): readonly string[] {
  const [, text = ''] = recipe.split(new RegExp(`^FROM \\S+ AS ${stage}$`, 'm'))
  const [own = ''] = text.split(/^FROM /m)
  return [...own.replaceAll(/\\\n/g, ' ').matchAll(/^RUN (.+)$/gm)].map(([, command = '']) => command)
}

/** Does in a folder what the stage `build` does in an image, with the packages that the machine has. @returns the folder of the image */
async function buildFiles(folder: string, service: string): Promise<string> {
  const pnpm = findProgram('pnpm') ?? path.join(repositoryRoot, '.toolchain/node_modules/.bin/pnpm')
  const app = path.join(folder, 'app')
  mkdirSync(app, { recursive: true })
  await copySources(app)
  for (const command of commandsOf('build')) {
    const here = command.replaceAll('/out', `${folder}/out`).replaceAll('/pages', `${folder}/pages`)
    const env = {
      ...process.env,
      CI: 'true',
      SERVICE: service,
      PATH: `${path.dirname(pnpm)}:${process.env.PATH ?? ''}`,
    }
    const { ok, output } = await collectOutput('sh', ['-ec', here], { cwd: app, env })
    if (!ok) throw new Error(`${command}\n${output.slice(-2_000)}`)
  }
  return path.join(folder, 'out', 'app')
}

/** What `.dockerignore` leaves, but for ignored files that Git does not know either. */
async function copySources(target: string): Promise<void> {
  const sources = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'packages', 'services']
  const others = ['infra/package.json', 'test-e2e/package.json', 'bench/package.json']
  const { output } = await collectOutput('git', ['ls-files', ...sources, ...others], { cwd: repositoryRoot })
  const files = output.split('\n').filter((file) => file !== '' && !file.endsWith('.test.ts'))
  for (const folder of new Set(files.map((file) => path.dirname(file))))
    mkdirSync(path.join(target, folder), { recursive: true })
  for (const file of files) copyFileSync(path.join(repositoryRoot, file), path.join(target, file))
  const generated = 'packages/db/src/generated'
  cpSync(path.join(repositoryRoot, generated), path.join(target, generated), { recursive: true })
}

/** Every file with its rights and its content: what a layer has, but for times, which the builder sets. */
function listFiles(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return new Map(
    names.map((name) => {
      const file = path.join(folder, name)
      const stats = lstatSync(file)
      if (stats.isSymbolicLink()) return [name, `→ ${readlinkSync(file)}`]
      const content = stats.isFile() ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'folder'
      return [name, `${(stats.mode & 0o7777).toString(8)} ${content}`]
    }),
  )
}

it.each(['services/edge', 'packages/db'])(
  'of %s are the same, byte for byte, when they are built twice',
  async (service) => {
    await withTempFolder(async (folder) => {
      const first = listFiles(await buildFiles(path.join(folder, 'first'), service))
      const second = listFiles(await buildFiles(path.join(folder, 'another', 'place'), service))
      const different = [...first].flatMap(([name, content]) => (second.get(name) === content ? [] : [name]))

      expect(different).toEqual([])
      expect([...second.keys()]).toEqual([...first.keys()])
      expect(first.get('service')).toBe(`→ ${service}`)
      expect(first.size).toBeGreaterThan(500)
    })
  },
  400_000,
)
