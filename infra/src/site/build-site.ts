import { copyFileSync, globSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { collectOutput } from '../processes/collect-output.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import type { OpenApi } from './openapi.ts'
import { referencePages } from './reference-pages.ts'
import { type DocumentTitle, sidebarOf } from './sidebar.ts'

/** Documents of the repository that are pages, and the pictures that they show. */
const documents = [
  '*.md',
  '{clients,docs,examples,infra,k8s,trainers}/**/*.md',
  '{services,packages}/*/README.md',
  'bench/{README,results/*}.md',
]
const pictures = ['docs/**/*.png']
/** For those who change the product with tools, not for its users. */
const left = new Set(['AGENTS.md'])

/**
 * Builds the site of the documentation: the documents as they are, a page for each endpoint and each type of the API, and a
 * search over all of them.
 *
 * @param folder is created, and its content is replaced
 * @returns number of pages
 * @throws Error with what VitePress reports, such as links that lead nowhere
 */
export async function buildSite(folder: string): Promise<number> {
  return withTempFolder(async (source) => {
    const openApi = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs/openapi.json'), 'utf8')) as OpenApi
    const titles = copyDocuments(source)
    const pages = referencePages(openApi)
    for (const { file, text } of pages) write(path.join(source, file), text)
    const files = [...titles, ...pages].map(({ file }) => file)
    writeConfig(source, { files, sidebar: sidebarOf(titles, openApi) })
    await runVitePress(source, folder)
    return files.length
  })
}

function copyDocuments(source: string): readonly DocumentTitle[] {
  const exclude = ['**/node_modules/**']
  const files = globSync(documents, { cwd: repositoryRoot, exclude })
    .filter((file) => !left.has(file))
    .sort()
  for (const file of [...files, ...globSync(pictures, { cwd: repositoryRoot, exclude })]) {
    mkdirSync(path.dirname(path.join(source, file)), { recursive: true })
    copyFileSync(path.join(repositoryRoot, file), path.join(source, file))
  }
  return files.map((file) => ({ file, title: titleOf(readFileSync(path.join(source, file), 'utf8')) ?? file }))
}

function titleOf(markdown: string): string | undefined {
  return /^# (.+)$/m.exec(markdown)?.[1]
}

/** VitePress reads its settings from the folder of the documents. */
function writeConfig(source: string, parts: Parameters<typeof JSON.stringify>[0]): void {
  const module = path.join(import.meta.dirname, 'site-config.ts')
  const text = `import { siteConfig } from ${JSON.stringify(module)}\n\nexport default siteConfig(${JSON.stringify(parts)})\n`
  write(path.join(source, '.vitepress/config.mjs'), text)
}

async function runVitePress(source: string, folder: string): Promise<void> {
  const vitePress = realpathSync(path.join(repositoryRoot, 'infra/node_modules/vitepress'))
  // Pages import packages that only VitePress has.
  symlinkSync(path.dirname(vitePress), path.join(source, 'node_modules'))
  const args = [path.join(vitePress, 'bin/vitepress.js'), 'build', source, '--outDir', path.resolve(folder)]
  // Tests set NODE_ENV, with which pages for developers would be built.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { ok, output } = await collectOutput(process.execPath, args, { cwd: repositoryRoot, env })
  if (!ok) throw new Error(output)
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
