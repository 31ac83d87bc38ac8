// @modelcontextprotocol/sdk 1.x over one transport; prints the cells of its row as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { scenario, target } from './scenario.mjs';

const { kind, url, command, env } = target();
const transport = kind === 'stdio' ? new StdioClientTransport({ command: command[0], args: command.slice(1), env })
  : kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: 'e2e-sdk1', version: '1' });
await client.connect(transport);
const cells = await scenario(() => client.listTools(), (name, args) => client.callTool({ name, arguments: args }));
await client.close();
console.log(JSON.stringify(cells));
process.exit(0);
