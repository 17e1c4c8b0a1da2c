side: $(BINARY)
	sed -e 's|"device": "[^"]*"|"device": "$(DEVICE)"|' -e 's|"target": "[^"]*"|"target": "$(TARGET)"|' \
	  -e 's|"binary_sha256": null|"binary_sha256": "'$$(sha256sum <$(BINARY) | cut -c1-64)'"|' side.json >$(BINARY).json

run: all
	$(ENVIRONMENT) $(ISTHMUS) hpcc {work.benchmark} --on 'opencl:$(DEVICE)' --binary $(BINARY) $(ARGUMENTS)

clean:
	rm -rf $(OUT)
