import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'

const web = path.join(repositoryRoot, 'services', 'dashboard', 'web')
const mantine = path.dirname(createRequire(path.join(web, 'package.json')).resolve('@mantine/core/styles.css'))

/** Names that a source imports from Mantine, without those of types alone. */
function importedFrom(source: string): readonly string[] {
  return [...source.matchAll(/^import \{([^}]*)\} from '@mantine\/core'/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )
}

it('has the styles of every component that a page uses', () => {
  const sources = globSync('src/**/*.tsx', { cwd: web }).map((file) => readFileSync(path.join(web, file), 'utf8'))
  const components = [...new Set(sources.flatMap(importedFrom))]
  const styled = components.filter((name) => existsSync(path.join(mantine, 'styles', `${name}.css`)))
  const styles = readFileSync(path.join(web, 'src', 'styles.ts'), 'utf8')
  expect(styled.length).toBeGreaterThan(20)
  expect(styled.filter((name) => !styles.includes(`'@mantine/core/styles/${name}.css'`))).toEqual([])
})
