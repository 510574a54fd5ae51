import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { PlacedExpression } from './check-promql.ts'

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[]
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly schemaVersion: number
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[]
  }
  readonly panels: readonly Panel[]
}

export const dashboardsFolder = path.join(repositoryRoot, 'infra/grafana')

/** Reads the dashboards of the project. */
export function readDashboards(): readonly Dashboard[] {
  const names = readdirSync(dashboardsFolder).filter((name) => name.endsWith('.json'))
  return names.map((name) => JSON.parse(readFileSync(path.join(dashboardsFolder, name), 'utf8')))
}

/** Every expression of every dashboard, with Grafana's variables replaced by possible values. */
export function dashboardExpressions(): readonly PlacedExpression[] {
  return readDashboards().flatMap(({ title, panels, templating }) => [
    ...panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ expr }) => ({ place: `${title} / ${panel.title}`, expression: withValues(expr) })),
    ),
    ...templating.list.flatMap(({ name, definition }) => {
      const asked = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '')
      return asked === null ? [] : [{ place: `${title} / $${name}`, expression: `sum by (${asked[2]}) (${asked[1]})` }]
    }),
  ])
}

function withValues(expression: string): string {
  return expression.replaceAll('$__rate_interval', '1m').replaceAll('$service', '.*')
}
