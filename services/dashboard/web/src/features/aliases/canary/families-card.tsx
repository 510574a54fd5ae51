import { Anchor } from '@mantine/core'
import type { GateSegment } from '@ratchet/contracts/alias-gate'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { type State, StateLabel } from '../../../kit/state-mark.tsx'
import { points } from '../../../pictures/canary-sentence.ts'
import styles from '../aliases.module.css'
import { useOpenAlias } from '../detail/alias-context.ts'
import { useFieldWords } from '../use-field-words.ts'

const words: Readonly<Record<GateSegment['state'], readonly [string, State]>> = {
  collecting: ['too few answers', 'none'],
  watched: ['nothing proven', 'open'],
  worse: ['proven worse', 'wrong'],
  rolled_back: ['rolled back', 'wrong'],
}

/** The arms in each prompt family, and the rules that take families out of the split. */
export function FamiliesCard(): ReactNode {
  const slug = useWorkspaceSlug()
  const { alias, gate } = useOpenAlias()
  const { family } = useFieldWords()
  const { family_rules: rules } = alias
  if (gate.segments.length === 0 && rules.length === 0) return null
  const change = (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link {...props} to="/w/$slug/aliases/$name/routing" params={{ slug, name: alias.name }} search={{}} />
      )}
    >
      Change the rules
    </Anchor>
  )
  return (
    <Card title="Prompt families" actions={change}>
      <div className={styles.stack}>
        {rules.length > 0 && (
          <ul className={styles.line}>
            {rules.map(({ segment, model }) => (
              <li key={segment}>
                {family(segment)}: {model === null ? 'in the split' : `always ${model}, outside of the split`}
              </li>
            ))}
          </ul>
        )}
        {gate.segments.length > 0 && <FamilyTable segments={gate.segments} family={family} />}
      </div>
    </Card>
  )
}

interface FamilyTableProps {
  readonly segments: readonly GateSegment[]
  readonly family: (segment: string) => string
}

function FamilyTable({ segments, family }: FamilyTableProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it.
    <section className={styles.scroll} tabIndex={0} aria-label="Both models in each prompt family">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Family</th>
            <th scope="col">State</th>
            <th scope="col">Target failed</th>
            <th scope="col">Canary failed</th>
            <th scope="col">Difference in points</th>
          </tr>
        </thead>
        <tbody>
          {segments.map(({ segment, state, target, canary, difference }) => {
            const [word, mark] = words[state]
            return (
              <tr key={segment}>
                <th scope="row">{family(segment)}</th>
                <td>
                  <StateLabel state={mark}>{word}</StateLabel>
                </td>
                <td>
                  {count(target.fails)} of {count(target.scored)}
                </td>
                <td>
                  {count(canary.fails)} of {count(canary.scored)}
                </td>
                <td>
                  {difference === null
                    ? '–'
                    : `${points(difference.estimate)} [${points(difference.cs[0])}, ${points(difference.cs[1])}]`}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
