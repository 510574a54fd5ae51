import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { thingTopics, workspaceTopics } from '@ratchet/contracts/live-topic'
import { repositoryRoot } from '../fleet/data-paths.ts'

/** The product's sources of a pattern, without tests and what only they use. */
function sourcesOf(pattern: string): readonly string[] {
  const files = globSync(pattern, { cwd: repositoryRoot, exclude: (name) => name.endsWith('node_modules') })
  const product = files.filter((file) => !/\.(test|fixture)\.tsx?$/.test(file))
  return product.map((file) => readFileSync(path.join(repositoryRoot, file), 'utf8'))
}

const publishers = sourcesOf('services/*/src/**/*.ts').filter((text) =>
  /\b(NotifyLive|PublishLive|announce)\b/.test(text),
)
const pages = sourcesOf('services/dashboard/web/src/**/*.{ts,tsx}').filter((text) => /\btopics\b/.test(text))

/** Whether a text names the topic, or begins one with it. */
const names = (topic: string) => (text: string) => new RegExp(`'${topic}'|\`${topic}:\\$\\{`).test(text)

it.each([...workspaceTopics, ...thingTopics])('a service publishes %s, and a page follows it', (topic) => {
  expect([publishers.some(names(topic)), pages.some(names(topic))]).toEqual([true, true])
})
