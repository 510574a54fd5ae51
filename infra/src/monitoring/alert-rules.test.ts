import { alertExpressions, readAlertRules } from './alert-rules.ts'
import { checkPromql } from './check-promql.ts'
import { dashboardExpressions, readDashboards } from './dashboards.ts'
import { readMetricsPages } from './metrics-page.ts'
import { promqlNames } from './promql-names.ts'

/** The text `${datasource}`, which would be a placeholder in a template string. */
const datasourceVariable = '$'.concat('{datasource}')

const page = `
# TYPE ratchet_work_items_unfinished gauge
ratchet_work_items_unfinished{queue="judge",service="judging"} 3
# TYPE answers_seconds histogram
answers_seconds_bucket{le="1",route="/v1/\\"odd\\"",service="edge"} 2
answers_seconds_sum{route="/v1",service="edge"} 2
answers_seconds_count{route="/v1",service="edge"} 2
# TYPE never_counted_total counter
`
const exposed = readMetricsPages([page])
const problems = (expression: string) => checkPromql([{ place: 'here', expression }], exposed)

describe('checkPromql', () => {
  it.each([
    'max by (queue) (ratchet_work_items_unfinished{queue!="judge"}) > 3',
    'histogram_quantile(0.95, sum by (le, route) (rate(answers_seconds_bucket[5m])))',
    'sum(rate(never_counted_total[1m])) / sum(rate(answers_seconds_count[1m]))',
    'max by (instance) (up{job="ratchet"}) == 0',
    'ratchet_work_items_unfinished - ratchet_work_items_unfinished offset 30m > 0',
  ])('accepts %s', (expression) => {
    expect(problems(expression)).toEqual([])
  })

  it.each([
    ['a metric that is misspelt', 'sum(work_unfinnished)', 'here: no process exposes work_unfinnished'],
    [
      'a label that the metric does not have',
      'ratchet_work_items_unfinished{qeue="judge"}',
      'here: ratchet_work_items_unfinished has no label qeue',
    ],
    ['a histogram without its suffix', 'rate(answers_seconds[5m])', 'here: no process exposes answers_seconds'],
    [
      'a grouping by a label that no metric has',
      'sum by (rout) (answers_seconds_count)',
      'here: no metric has the label rout to group by',
    ],
    ['a label that no target has', 'up{service="edge"} == 0', 'here: service'],
    ['a bracket that is not closed', 'sum(rate(ratchet_work_items_unfinished[5m]) > 1', 'here: syntax error at'],
    ['a word that is not an operator', 'ratchet_work_items_unfinished above 3', 'here: syntax error at'],
  ])('finds %s', (_case, expression, problem) => {
    expect(problems(expression).join('\n')).toContain(problem)
  })
})

describe('the alert rules', () => {
  it('have unique names, a severity, a description and a link to the runbook', () => {
    const rules = readAlertRules()
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, for: lasting, labels, annotations } of rules) {
      const anchor = alert.replace(/(?<!^)(?=[A-Z])/g, '-').toLowerCase()
      expect([alert, labels.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)])
      expect([alert, lasting]).toEqual([alert, expect.stringMatching(/^\d+m$/)])
      expect(annotations).toEqual({
        summary: expect.stringMatching(/\.$/),
        description: expect.stringMatching(/\.$/),
        runbook_url: `docs/operations.md#${anchor}`,
      })
    }
  })

  it('are valid PromQL, like the dashboards', () => {
    for (const { expression } of [...alertExpressions(), ...dashboardExpressions()]) {
      expect(promqlNames(expression).selectors.length).toBeGreaterThan(0)
    }
  })
})

describe('the dashboards', () => {
  it.each(readDashboards().map((dashboard) => [dashboard.title, dashboard] as const))(
    '%s can be imported: its data source is a variable, and its panels do not overlap',
    (_title, { uid, schemaVersion, templating, panels }) => {
      expect(uid).toMatch(/^[a-z-]{1,40}$/)
      expect(schemaVersion).toBeGreaterThanOrEqual(39)
      expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      for (const { type, title, gridPos, datasource, targets = [] } of panels) {
        expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true])
        if (type === 'row') continue
        expect([title, datasource?.uid, targets.length > 0]).toEqual([title, datasourceVariable, true])
      }
      const overlapping = panels.filter((a) => panels.some((b) => a.id < b.id && overlap(a.gridPos, b.gridPos)))
      expect(overlapping.map(({ title }) => title)).toEqual([])
    },
  )
})

type Place = ReturnType<typeof readDashboards>[number]['panels'][number]['gridPos']

function overlap(a: Place, b: Place): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}
