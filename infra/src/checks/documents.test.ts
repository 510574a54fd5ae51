import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { brokenPaths } from './documents.ts'

const isOurs = (name: string) => !/^(node_modules|\.git|\.data|\.toolchain|generated)$/.test(path.basename(name))
const files = globSync('**/*', { cwd: repositoryRoot, exclude: (name) => !isOurs(String(name)) })
  .map((file) => file.split(path.sep).join('/'))
  .concat('packages/db/src/generated', '.ci/run', '.github/workflows/release.yml', '.data', '.data/fleet.json')
const documents = files.filter((file) => file.endsWith('.md'))

it('finds the documents', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'services/edge/README.md']))
})

it.each(documents)('%s names only paths that exist', (document) => {
  const markdown = readFileSync(path.join(repositoryRoot, document), 'utf8')
  expect(brokenPaths({ document, markdown, files })).toEqual([])
})

it('reports links, paths and file names that do not exist', () => {
  const markdown =
    'A [link](gone.md), [one](README.md#x), `src/gone.ts`, `src/main.ts`, `gone.ts`, `main.ts`, `infra/gone`.'
  const tree = ['services/edge/README.md', 'services/edge/src/main.ts', 'infra/src/x.ts']
  const document = 'services/edge/README.md'
  expect(brokenPaths({ document, markdown, files: tree })).toEqual(['gone.md', 'src/gone.ts', 'infra/gone', 'gone.ts'])
})

it('reports links to headings that the document does not have', () => {
  const markdown =
    '## A b\n[x](#a-b) [y](#c) [z](../gone.md) `infra/src/gone.ts` `infra/src`\n```sh\n# not a heading\n```'
  const paths = brokenPaths({ document: 'docs/operations.md', markdown, files: ['infra/src/main.ts', 'docs/x.md'] })
  expect(paths).toEqual(['#c', '../gone.md', 'infra/src/gone.ts'])
})
