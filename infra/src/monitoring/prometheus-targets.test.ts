import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { services } from '../fleet/service-list.ts'

interface ScrapeConfig {
  readonly scrape_configs: readonly { readonly static_configs: readonly { readonly targets: readonly string[] }[] }[]
}

const allTargets = services.map(({ name, port, adminPort = port }) => `${name}:${adminPort}`).sort()

function targetsOf({ scrape_configs }: ScrapeConfig): readonly string[] {
  return scrape_configs.flatMap((each) => each.static_configs.flatMap(({ targets }) => targets)).sort()
}

function read(file: string) {
  return parse(readFileSync(path.join(repositoryRoot, file), 'utf8'))
}

it('Prometheus scrapes every process of the fleet', () => {
  expect(targetsOf(read('infra/prometheus/prometheus.yml'))).toEqual(allTargets)
})

it('the collector scrapes every process, and its first processor limits memory', () => {
  const { receivers, processors, exporters, service } = read('infra/otel/collector.yaml')
  expect(targetsOf(receivers.prometheus.config)).toEqual(allTargets)
  const defined = { receivers, processors, exporters }
  for (const pipeline of Object.values<Record<string, string[]>>(service.pipelines)) {
    expect(pipeline.processors?.[0]).toBe('memory_limiter')
    for (const [kind, names] of Object.entries(pipeline)) {
      expect([kind, names.filter((name) => defined[kind as keyof typeof defined][name] === undefined)]).toEqual([
        kind,
        [],
      ])
    }
  }
})
