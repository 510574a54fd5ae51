import { Stack } from '@mantine/core'
import { AliasGate } from '@ratchet/contracts/alias-gate'
import type { AliasEvent } from '@ratchet/contracts/aliases'
import type { ReactNode } from 'react'
import { useKeyNames } from '../../../api/use-key-names.ts'
import { usePeople } from '../../../api/use-people.ts'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { count } from '../../../kit/numbers.ts'
import { exactTime } from '../../../kit/time.ts'
import { points } from '../../../pictures/canary-sentence.ts'
import { changedFields } from '../routing/alias-fields.ts'
import { usualSettings, valuesOf } from '../routing/alias-values.ts'
import { ChangeList } from '../routing/change-list.tsx'
import { useFieldWords } from '../use-field-words.ts'

/** One change: who, why, before and after, and the evidence as it was then. */
export function EventDetails({ event }: { readonly event: AliasEvent }): ReactNode {
  const { actor, before, after, evidence, reason, request_id: requestId } = event
  const personOf = usePeople()
  const keyNames = useKeyNames(actor.key_id !== null)
  const words = useFieldWords()
  const changes = changedFields(valuesOf(before ?? usualSettings), valuesOf(after ?? usualSettings), words)
  const key = actor.key_id === null ? null : (keyNames.get(actor.key_id) ?? actor.key_id)
  return (
    <Stack gap={16}>
      <Facts
        facts={[
          ['When', exactTime(event.created_at)],
          ['Who', actor.user_id === null ? 'the gate' : personOf(actor.user_id)],
          ...(key === null ? [] : ([['Key', key]] as const)),
          ...(reason === null ? [] : ([['Reason', reason]] as const)),
          ...(requestId === null
            ? []
            : ([['Request', <CopyText key="id" text={requestId} label="Copy the id of the request" />]] as const)),
        ]}
      />
      {changes.length > 0 && <ChangeList changes={changes} />}
      {evidence !== null && <Evidence evidence={evidence} />}
    </Stack>
  )
}

function Evidence({ evidence }: { readonly evidence: Readonly<Record<string, unknown>> }): ReactNode {
  const gate = AliasGate.safeParse(evidence.gate)
  return (
    <Stack gap={8}>
      {gate.success && <GateEvidence gate={gate.data} />}
      <details>
        <summary>The evidence as it is stored</summary>
        <CodeBlock code={JSON.stringify(evidence, null, 2)} label="Evidence" />
      </details>
    </Stack>
  )
}

/** The numbers of the evaluation that decided, the same as in the picture of the canary. */
function GateEvidence({ gate }: { readonly gate: AliasGate }): ReactNode {
  const { difference, graded_difference: graded, arms, looks, margin, guard } = gate
  const breached = guard.filter((each) => each.breached).map(({ name }) => name)
  return (
    <Facts
      facts={[
        ['Evaluation', count(looks)],
        ['Scored', `${count(arms.target.scored)} of the target, ${count(arms.canary?.scored ?? 0)} of the canary`],
        ['Difference by verdicts', textOf(difference)],
        ['Difference by grades', textOf(graded)],
        ['Margin', `${points(margin).replace('+', '')} points`],
        ...(breached.length === 0 ? [] : ([['Guards breached', breached.join(', ')]] as const)),
      ]}
    />
  )
}

function textOf(found: { readonly estimate: number; readonly cs: readonly [number, number] } | null): string {
  if (found === null) return 'too few answers'
  return `${points(found.estimate)} points [${points(found.cs[0])}, ${points(found.cs[1])}]`
}
