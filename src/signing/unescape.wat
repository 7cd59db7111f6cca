;; Unescapes a piece of a JSON string, at most 16 320 bytes. The piece is at 0, what it stands for goes to 0x4000; 63
;; bytes behind the piece are read, and 15 behind the output are written. `unescape` takes the length of the piece and
;; gives how many of its bytes it has read and how many it has written. It stops before a quote, a control character, an
;; escape that the piece cuts off, and an escape that is not one letter.
;;
;; unescape-module.ts holds this file assembled; its test assembles it again.
(module
  (memory (export "memory") 1 1)

  ;; At 0x8000 and the byte of a letter: what the escape stands for (RFC 8259 §7), or 0.
  (data (i32.const 0x8022) "\"")
  (data (i32.const 0x802f) "/")
  (data (i32.const 0x805c) "\\")
  (data (i32.const 0x8062) "\08")
  (data (i32.const 0x8066) "\0c")
  (data (i32.const 0x806e) "\0a")
  (data (i32.const 0x8072) "\0d")
  (data (i32.const 0x8074) "\09")

  ;; Which of 16 bytes are not plain: a bit for each.
  (func $stopsIn16 (param $bytes v128) (result i64)
    (i64.extend_i32_u
      (i8x16.bitmask
        (v128.or
          (v128.or
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
            (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
          (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))))))

  (func $stopsIn64 (param $at i32) (result i64)
    (i64.or
      (i64.or
        (call $stopsIn16 (v128.load (local.get $at)))
        (i64.shl (call $stopsIn16 (v128.load offset=16 (local.get $at))) (i64.const 16)))
      (i64.or
        (i64.shl (call $stopsIn16 (v128.load offset=32 (local.get $at))) (i64.const 32))
        (i64.shl (call $stopsIn16 (v128.load offset=48 (local.get $at))) (i64.const 48)))))

  (func (export "unescape") (param $end i32) (result i32 i32)
    (local $at i32)
    (local $to i32)
    (local $left i32) ;; of 64 bytes, those from $at on
    (local $stops i64) ;; of these, bit 0 for the one at $at
    (local $run i32)
    (local $copied i32)
    (local $plain i32)
    (local.set $to (i32.const 0x4000))
    (block $stop
      (loop $next64
        (br_if $stop (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $stops (call $stopsIn64 (local.get $at)))
        (local.set $left (i32.sub (local.get $end) (local.get $at)))
        (if (i32.gt_u (local.get $left) (i32.const 64)) (then (local.set $left (i32.const 64))))

        (loop $nextRun
          ;; What is plain, and up to 15 bytes more that are written over later.
          (local.set $run (i32.wrap_i64 (i64.ctz (local.get $stops))))
          (if (i32.gt_u (local.get $run) (local.get $left)) (then (local.set $run (local.get $left))))
          (local.set $copied (i32.const 0))
          (loop $copy
            (v128.store
              (i32.add (local.get $to) (local.get $copied))
              (v128.load (i32.add (local.get $at) (local.get $copied))))
            (local.set $copied (i32.add (local.get $copied) (i32.const 16)))
            (br_if $copy (i32.lt_u (local.get $copied) (local.get $run))))
          (local.set $at (i32.add (local.get $at) (local.get $run)))
          (local.set $to (i32.add (local.get $to) (local.get $run)))
          (br_if $next64 (i32.eq (local.get $run) (local.get $left)))

          ;; An escape of one letter, or the end.
          (br_if $stop (i32.ge_u (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
          (br_if $stop (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)))
          (local.set $plain (i32.load8_u offset=0x8000 (i32.load8_u offset=1 (local.get $at))))
          (br_if $stop (i32.eqz (local.get $plain)))
          (i32.store8 (local.get $to) (local.get $plain))
          (local.set $at (i32.add (local.get $at) (i32.const 2)))
          (local.set $to (i32.add (local.get $to) (i32.const 1)))
          (local.set $run (i32.add (local.get $run) (i32.const 2)))
          (local.set $left (i32.sub (local.get $left) (local.get $run)))
          (local.set $stops (i64.shr_u (local.get $stops) (i64.extend_i32_u (local.get $run))))
          (br_if $nextRun (i32.gt_s (local.get $left) (i32.const 0)))
          (br $next64))))
    (local.get $at)
    (i32.sub (local.get $to) (i32.const 0x4000))))
