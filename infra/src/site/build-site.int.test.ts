import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { buildSite } from './build-site.ts'

it('builds the documents and a page for each endpoint, with a search, and without a link that leads nowhere', async () => {
  await withTempFolder(async (folder) => {
    const pages = await buildSite(folder)
    const files = globSync('**/*.html', { cwd: folder })
    expect(files).toHaveLength(pages + 1)
    const page = readFileSync(path.join(folder, 'reference/endpoints/putAliases.html'), 'utf8')
    expect(page).toContain('PUT /v1/aliases')
    expect(page).toContain('../types/Alias.html')
    const [index = ''] = globSync('assets/chunks/*SearchIndex*.js', { cwd: folder })
    expect(readFileSync(path.join(folder, index), 'utf8')).toContain('postChatCompletions')
    expect(deadLinks(folder, files)).toEqual([])
  })
}, 400_000)

/** Links within the site whose file is not there. VitePress checks those of Markdown only. */
function deadLinks(folder: string, files: readonly string[]): readonly string[] {
  const known = new Set(files)
  return files.flatMap((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8')
    const targets = [...text.matchAll(/href="([^"#:]+\.html|[^"#:]*\/)(?:#[^"]*)?"/g)].map(([, href = '']) => href)
    return targets.map((href) => placeOf(file, href)).filter((target) => !known.has(target))
  })
}

function placeOf(file: string, href: string): string {
  const target = href.startsWith('/') ? href.slice(1) : path.posix.join(path.posix.dirname(file), href)
  return target === '' || target.endsWith('/') ? `${target}index.html` : target
}
