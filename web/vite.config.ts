import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` shows the page with live reload; the data comes from an `opsight view` beside it.
const server = process.env.OPSIGHT_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  base: "./",
  build: {
    target: "es2021",
    // The server's Content-Security-Policy allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    rollupOptions: {
      // Names without a hash: the server answers with an ETag, and the program's list of files stays the same.
      output: { entryFileNames: "assets/[name].js", chunkFileNames: "assets/[name].js", assetFileNames: "assets/[name][extname]" },
    },
  },
  server: { host: "127.0.0.1", fs: { allow: [".."] }, proxy: { "/api": server } },
});
