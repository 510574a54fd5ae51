import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const sources = path.join(import.meta.dirname, '..')
const network = /\b(fetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|serviceWorker)/

it('only three files of api reach the network', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: sources }).filter((file) => !file.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(50)
  const found = files.filter((file) => network.test(withoutComments(readFileSync(path.join(sources, file), 'utf8'))))
  expect(found.sort()).toEqual(['api/live.ts', 'api/open-socket.ts', 'api/send-request.ts'])
})

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/\/\/.*/g, '')
}
