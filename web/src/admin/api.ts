/** Requests of the operator's page to the server. */
import { ask } from '../lib/api'
import {
  AuditPage,
  Done,
  Nodes,
  OpenTables,
  Overview,
  type NewNotice,
  type NodeOrder,
  type TableOrder,
} from '../protocol/operator'

const BASE = '/api/operator'

export const operator = {
  open: (order: string) => ask(Done, 'POST', `${BASE}/session`, { order }),
  leave: () => ask(Done, 'DELETE', `${BASE}/session`),
  overview: () => ask(Overview, 'GET', BASE),
  tables: (after?: number) =>
    ask(OpenTables, 'GET', `${BASE}/open${after ? `?after=${after}` : ''}`),
  act: (order: TableOrder) => ask(Done, 'POST', `${BASE}/act`, order),
  notice: (notice: NewNotice) => ask(Done, 'PUT', `${BASE}/notice`, notice),
  nodes: () => ask(Nodes, 'GET', `${BASE}/nodes`),
  order: (order: NodeOrder) => ask(Done, 'POST', `${BASE}/nodes`, order),
  audit: (month: string) => ask(AuditPage, 'GET', `${BASE}/audit/${month}`),
}
