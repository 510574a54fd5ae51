import { type ComponentType, lazy, type ReactNode, type Ref, Suspense, useState } from 'react'
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

interface LateMenuProps {
  readonly Button: ComponentType<MenuButtonProps>
  readonly parts: readonly MenuPart[]
  readonly position: 'bottom-start' | 'bottom-end' | 'top-end'
}

const load = () => import('./opened-menu.tsx')
const OpenedMenu = lazy(async () => ({ default: (await load()).OpenedMenu }))

/** A menu behind a button. Its scripts are loaded when somebody goes to the button: most visits open none. */
export function LateMenu({ Button, parts, position }: LateMenuProps): ReactNode {
  const [isUsed, setIsUsed] = useState(false)
  const prepare = () => void load()
  const button = (
    <Button
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setIsUsed(true)}
      onFocus={prepare}
      onPointerEnter={prepare}
    />
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <OpenedMenu Button={Button} parts={parts} position={position} />
    </Suspense>
  )
}
