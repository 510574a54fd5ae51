import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { PlacedExpression } from './check-promql.ts'

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export const alertRulesFile = path.join(repositoryRoot, 'infra/prometheus/alerts.yaml')

/** Reads the alert rules of the project. */
export function readAlertRules(): readonly AlertRule[] {
  const file = parse(readFileSync(alertRulesFile, 'utf8')) as { groups: { rules: AlertRule[] }[] }
  return file.groups.flatMap(({ rules }) => rules)
}

export function alertExpressions(): readonly PlacedExpression[] {
  return readAlertRules().map(({ alert, expr }) => ({ place: alert, expression: expr }))
}
