import { Checkbox, NumberInput, Select, Stack, Text } from '@mantine/core'
import { type GateCheck, GateRefusal, gateEval } from '@ratchet/contracts/eval-gate'
import type { Eval } from '@ratchet/contracts/evals'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { RowsSkeleton } from '../../../kit/states/skeletons.tsx'
import styles from '../evals.module.css'
import {
  type CheckField,
  checkFields,
  exitCodeOf,
  firstChoice,
  type GateChoice,
  gateCommand,
  gateQuery,
  isOn,
  withCheck,
} from './gate-choice.ts'

/** Checks for a deploy: ticked here, answered by the gate at once, and copied as a command. */
export function GateBuilder({ each }: { readonly each: Eval }): ReactNode {
  const { id, candidate_models: models } = each
  const [choice, setChoice] = useState<GateChoice>(firstChoice)
  const [candidate, setCandidate] = useState(models[0] ?? '')
  const query = gateQuery(choice, models.length > 1 ? candidate : null)
  return (
    <Card title="Gate">
      <Stack gap={14}>
        <Text c="dimmed">
          What a deploy requires of the candidate. The answer is the one that your pipeline gets. Rates are shares: 0.05
          is 5 %.
        </Text>
        {models.length > 1 && (
          <Select
            label="Candidate"
            data={models}
            value={candidate}
            onChange={(chosen) => setCandidate(chosen ?? candidate)}
            allowDeselect={false}
            maw={320}
          />
        )}
        <div className={styles.checks}>
          {checkFields.map((field) => (
            <CheckInput key={field.name} field={field} choice={choice} onChange={setChoice} />
          ))}
        </div>
        {query === null ? (
          <Text c="dimmed">Tick a check.</Text>
        ) : (
          <>
            <GateAnswer id={id} query={query} />
            <CodeBlock code={gateCommand(id, query)} label="The same gate as a command" />
          </>
        )}
      </Stack>
    </Card>
  )
}

interface CheckInputProps {
  readonly field: CheckField
  readonly choice: GateChoice
  readonly onChange: (choice: GateChoice) => void
}

function CheckInput({ field, choice, onChange }: CheckInputProps): ReactNode {
  const { name, label, proposed, unit } = field
  const isTicked = isOn(field, choice)
  return (
    <div className={styles.check}>
      <Checkbox
        label={label}
        checked={isTicked}
        onChange={({ currentTarget }) => onChange(withCheck(choice, field, currentTarget.checked))}
      />
      {proposed !== undefined && isTicked && (
        <NumberInput
          aria-label={label}
          value={choice[name] ?? ''}
          onChange={(value) => onChange({ ...choice, [name]: String(value) })}
          hideControls
          w={96}
          {...(unit === undefined ? {} : { suffix: ` ${unit}` })}
        />
      )}
    </div>
  )
}

interface GateAnswerProps {
  readonly id: string
  readonly query: Readonly<Record<string, string>>
}

function GateAnswer({ id, query }: GateAnswerProps): ReactNode {
  const gate = useEndpoint(gateEval, { params: { id }, query }, { keepsOld: true })
  const refusal = refusalOf(gate.error)
  if (gate.error !== null && refusal === null) {
    return <ErrorState error={gate.error} onRetry={() => void gate.refetch()} />
  }
  if (refusal !== null) {
    const code = exitCodeOf(refusal.eval_status, refusal.checks)
    return <GateTable checks={refusal.checks} status={412} exitCode={code} isOld={false} />
  }
  if (!gate.data) return <RowsSkeleton rows={3} />
  return <GateTable checks={gate.data.checks} status={200} exitCode={0} isOld={gate.isPlaceholderData} />
}

/** A gate that does not pass answers 412 with the same table. */
function refusalOf(error: Error | null): GateRefusal | null {
  if (!(error instanceof ApiError) || error.status !== 412) return null
  const parsed = GateRefusal.safeParse(error.details)
  return parsed.success ? parsed.data : null
}

interface GateTableProps {
  readonly checks: readonly GateCheck[]
  readonly status: 200 | 412
  readonly exitCode: number
  readonly isOld: boolean
}

function GateTable({ checks, status, exitCode, isOld }: GateTableProps): ReactNode {
  const passes = status === 200
  return (
    <div style={{ opacity: isOld ? 0.6 : 1 }} aria-busy={isOld}>
      <p className={styles.line} role="status">
        <StateLabel state={passes ? 'proven' : 'wrong'}>{passes ? 'passes' : 'does not pass'}</StateLabel> · answer{' '}
        {status} · the command ends with {exitCode}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Checks of the gate">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Check</th>
              <th scope="col">Required</th>
              <th scope="col">Observed</th>
              <th scope="col">95 % interval</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {checks.map(({ name, operator, threshold, observed, ci, passed }) => (
              <tr key={name}>
                <th scope="row" className="code">
                  {name}
                </th>
                <td>{`${operator} ${threshold}`}</td>
                <td>{observed === null ? 'not measured' : inShort(observed)}</td>
                <td>{ci === null ? '–' : `${inShort(ci[0])} to ${inShort(ci[1])}`}</td>
                <td>
                  <StateLabel state={passed ? 'proven' : 'wrong'}>{passed ? 'holds' : 'fails'}</StateLabel>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function inShort(value: GateCheck['threshold']): string {
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : String(value)
}
