import type { ReactNode } from 'react'
import styles from '../aliases.module.css'
import type { FieldChange } from './alias-fields.ts'

/** Settings before and after a change. */
export function ChangeList({ changes }: { readonly changes: readonly FieldChange[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it.
    <section className={styles.scroll} tabIndex={0} aria-label="Changed settings">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, label, before, after }) => (
            <tr key={name}>
              <th scope="row">{label}</th>
              <td>
                <del>{before}</del>
              </td>
              <td>
                <ins>{after}</ins>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
