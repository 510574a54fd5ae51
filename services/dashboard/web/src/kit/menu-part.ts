import type { Ref } from 'react'
import type { IconName } from './icon.tsx'

/** An entry of a menu, a heading in it, or a line between two parts. */
export type MenuPart =
  | {
      readonly kind: 'item'
      readonly label: string
      readonly icon?: IconName
      /** Marked as chosen. */
      readonly isChosen?: boolean
      /** The menu stays open, so that another one can be chosen. */
      readonly staysOpen?: boolean
      readonly run: () => void
    }
  | { readonly kind: 'heading'; readonly label: string }
  | { readonly kind: 'line' }

/** What the button of a menu must pass to its element. */
export interface MenuButtonProps {
  readonly ref?: Ref<HTMLButtonElement>
  readonly 'aria-haspopup'?: 'menu'
  readonly 'aria-expanded'?: boolean
  readonly onClick?: () => void
  readonly onFocus?: () => void
  readonly onPointerEnter?: () => void
}
